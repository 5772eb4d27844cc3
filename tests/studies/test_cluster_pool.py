"""What the pool on a cluster makes of Dask's answers, with a client in this process that answers at once."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from polycontact.errors import StudyError, StudyWarning
from polycontact.studies import cluster
from polycontact.studies.cluster import ClusterPool
from polycontact.studies.one_run import RunRow, RunTask, StudyWork

TASKS = [RunTask(n, {}) for n in range(30)]
ADDRESS = "tcp://127.0.0.1:1"


class KilledWorkerError(Exception):
    """What Dask raises where workers die again and again."""


class Future:
    """A run that has ended."""

    def __init__(self, key: int, status: str, make: Callable[[], Any]) -> None:
        self.key = key
        self.status = status
        self.result = make

    def add_done_callback(self, told: Callable[[Future], None]) -> None:
        told(self)


class Client:
    """Answers runs with finished rows, but for those that ``special`` has."""

    def __init__(self, special: dict[int, Any], threads: int) -> None:
        self.special = special
        self.threads = threads
        self.closed = False
        self.under_way = self.most_under_way = 0

    def submit(self, function: Any, work: StudyWork, task: RunTask, *_: Any, pure: bool) -> Future:
        assert function is cluster.run_on_worker
        assert not pure
        self.under_way += 1
        self.most_under_way = max(self.most_under_way, self.under_way)
        reply = self.special.get(task.number, RunRow(task.number, "finished", "", (float(task.number),)))

        def make() -> Any:
            if isinstance(reply, Exception):
                raise reply
            return tuple(reply)

        return Future(task.number, "cancelled" if reply == "cancelled" else "finished", make)

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        return {"workers": {"a": {"nthreads": self.threads}}}

    def close(self, timeout: float) -> None:
        self.closed = True


def pool_of(monkeypatch: pytest.MonkeyPatch, special: dict[int, Any], threads: int = 2) -> tuple[ClusterPool, Client]:
    client = Client(special, threads)
    distributed = SimpleNamespace(
        Client=lambda *_, **__: client, scheduler=SimpleNamespace(KilledWorker=KilledWorkerError)
    )
    monkeypatch.setattr(cluster, "_import_distributed", lambda: distributed)
    work = StudyWork("", "", "", (object(),))  # type: ignore[arg-type]  # one result
    return ClusterPool(work, ADDRESS, 1, None, None, retries=1), client


@pytest.mark.parametrize(("threads", "most"), [(0, 8), (2, 8), (6, 12)])
def test_every_run_has_a_row_and_few_are_under_way(monkeypatch: pytest.MonkeyPatch, threads: int, most: int) -> None:
    pool, client = pool_of(monkeypatch, {}, threads)
    rows = []
    for row in pool.rows(TASKS):
        assert row is not None
        client.under_way -= 1
        rows.append(row)
    assert [row.number for row in rows] == list(range(30))
    assert [row.results for row in rows] == [(float(n),) for n in range(30)]
    assert client.most_under_way == most
    assert pool.n_workers == threads
    assert client.closed


def test_a_run_that_kills_workers_is_lost_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    pool, _ = pool_of(monkeypatch, {4: KilledWorkerError("died\n3 times")})
    rows = {row.number: row for row in pool.rows(TASKS) if row is not None}
    assert len(rows) == 30
    lost = rows[4]
    assert (lost.status, lost.message) == ("lost", "workers of the cluster died while they made it: died 3 times")
    assert (math.isnan(lost.results[0]), lost.attempts) == (True, 2)


@pytest.mark.parametrize(
    ("reply", "told"),
    [
        ("cancelled", "the scheduler has been lost; start the study again"),
        (StudyError("the disk is full"), "^the disk is full"),
        (ImportError("no polycontact"), "run 4 cannot be made on the cluster: ImportError: no polycontact"),
    ],
)
def test_what_ends_the_study(monkeypatch: pytest.MonkeyPatch, reply: Any, told: str) -> None:
    pool, client = pool_of(monkeypatch, {4: reply})
    with pytest.raises(StudyError, match=told):
        list(pool.rows(TASKS))
    assert client.closed


def test_certificates_are_looked_at_before_anything_is_sent(tmp_path: Path) -> None:
    files = {name: str(tmp_path / f"{name}.pem") for name in ("ca", "cert", "key")}
    for file in files.values():
        Path(file).touch()
    distributed = SimpleNamespace(Security=lambda **given: given)
    given = cluster._security(distributed, "tls://a:1", files)
    assert given == {
        "tls_ca_file": files["ca"],
        "tls_client_cert": files["cert"],
        "tls_client_key": files["key"],
        "require_encryption": True,
    }
    assert cluster._security(distributed, ADDRESS, None) is None
    for address, tls, told in (
        ("tls://a:1", None, "is encrypted; give the certificates"),
        (ADDRESS, files, "begins with tls://"),
        ("tls://a:1", {"ca": files["ca"]}, "give three certificate files"),
        ("tls://a:1", {**files, "more": "x"}, "give three certificate files"),
        ("tls://a:1", {**files, "key": str(tmp_path / "no")}, "--tls-key .*cannot be read"),
    ):
        with pytest.raises(StudyError, match=told):
            cluster._security(distributed, address, tls)


@pytest.mark.parametrize("address", ["tcp://10.0.0.1:8786", "node7:8786", "tcp://[2001:db8::1]:8786"])
def test_a_scheduler_that_others_can_reach_without_encryption_is_told(address: str) -> None:
    with pytest.warns(StudyWarning, match=rf"the scheduler at {re.escape(address)} is not encrypted: .*--protocol tls"):
        cluster._warn_of_open_port(address)


@pytest.mark.parametrize(
    "address", ["local", "tcp://127.0.0.1:8786", "localhost:8786", "tcp://[::1]:8786", "tls://10.0.0.1:8786"]
)
def test_others_are_not(address: str, recwarn: pytest.WarningsRecorder) -> None:
    cluster._warn_of_open_port(address)
    assert not recwarn.list
