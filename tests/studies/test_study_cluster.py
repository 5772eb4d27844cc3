"""Studies on a Dask cluster of real processes on this machine: workers that die or come late, no scheduler, TLS."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from small_study import RESULTS, drop, hangs_when_fast, slow, speeds

import polycontact as pc
from polycontact.studies import cluster as cluster_module
from polycontact.studies.cluster import ClusterPool
from polycontact.workers import worker_process

pytest.importorskip("distributed")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="tested where processes can be killed"),
]

HERE = Path(__file__).parent


class Dask:
    """A scheduler and workers, each a process of its own."""

    def __init__(self, folder: Path, protocol: str = "tcp", options: tuple[str, ...] = ()) -> None:
        self._folder = folder
        self._options = options
        self._started: list[subprocess.Popen[bytes]] = []
        file = folder / "scheduler.json"
        self._start(
            "scheduler", "--protocol", protocol, "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
            "--scheduler-file", str(file),
        )  # fmt: skip
        while not file.exists() or not file.read_text().strip():
            assert self._started[0].poll() is None
            time.sleep(0.1)
        self.address: str = json.loads(file.read_text())["address"]

    def worker(self, threads: int = 1) -> subprocess.Popen[bytes]:
        """Start a worker."""
        return self._start(
            "worker", self.address, "--nthreads", str(threads), "--host", "127.0.0.1", "--no-dashboard", "--no-nanny",
            "--local-directory", str(self._folder),
        )  # fmt: skip

    def _start(self, *words: str) -> subprocess.Popen[bytes]:
        paths = os.pathsep.join(path for path in (str(HERE), *sys.path) if path)
        process = subprocess.Popen(
            [sys.executable, "-m", "distributed.cli.dask_" + words[0], *words[1:], *self._options],
            env={**os.environ, "PYTHONPATH": paths},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._started.append(process)
        return process

    def end(self) -> None:
        """End what was started."""
        for process in self._started:
            process.kill()
            process.wait()


@contextmanager
def dask(folder: Path, *given: Any) -> Iterator[Dask]:
    """A scheduler that ends in the end."""
    found = Dask(folder, *given)
    try:
        yield found
    finally:
        found.end()


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> pc.studies.StudyTable:
    """The study without any cluster."""
    path = tmp_path_factory.mktemp("expected") / "study.h5"
    return pc.study(drop(), speeds(12), RESULTS, output=path, workers=0)


def assert_same(table: pc.studies.StudyTable, expected: pc.studies.StudyTable) -> None:
    assert table.counts == {"finished": len(expected)}
    for name in RESULTS:
        assert np.array_equal(table[name], expected[name])


def test_a_local_cluster_gives_the_same_and_listens_to_this_machine_alone(
    tmp_path: Path, expected: pc.studies.StudyTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Few of its runs are under way at a time."""
    most = 0
    submitted = ClusterPool._submitted

    def watched(pool: ClusterPool, waiting: Any, n_under_way: int) -> Any:
        nonlocal most
        found = list(submitted(pool, waiting, n_under_way))
        most = max(most, n_under_way + len(found))
        return found

    monkeypatch.setattr(ClusterPool, "_submitted", watched)
    seen: list[Any] = []
    made = cluster_module._local_cluster
    monkeypatch.setattr(cluster_module, "_local_cluster", lambda *a: seen.append(made(*a)) or seen[-1])
    results = {**RESULTS, "own": hangs_when_fast}
    path = tmp_path / "study.h5"
    addresses: list[str] = []

    def look(_: pc.studies.StudyProgress) -> None:
        cluster = seen[0]
        addresses.append(cluster.scheduler_address)
        addresses.extend(worker.address for worker in cluster.workers.values())

    monkeypatch.setattr(worker_process, "LOADING_SECONDS", 4.0)  # nothing is compiled here
    table = pc.study(
        drop(), speeds(12), results, output=path, workers=2, cluster="local", time_limit=2.0, progress=look
    )
    assert 0 < most <= cluster_module.FEWEST_RUNS_UNDER_WAY < len(table)
    assert addresses
    assert all(each.startswith("tcp://127.0.0.1:") for each in addresses)
    fast = table["speed"] > 1.0
    assert set(table.status[fast]) == {"timeout"}
    assert np.array_equal(table["height"][~fast], expected["height"][~fast])


def test_one_worker_is_killed_and_one_comes_late(tmp_path: Path, expected: pc.studies.StudyTable) -> None:
    with dask(tmp_path) as cluster:
        first = cluster.worker()
        acted = threading.Event()

        def act(now: pc.studies.StudyProgress) -> None:
            if now.done >= 3 and not acted.is_set():
                acted.set()
                cluster.worker()
                os.kill(first.pid, signal.SIGKILL)

        results = {**RESULTS, "pid": slow}
        path = tmp_path / "study.h5"
        table = pc.study(drop(), speeds(12), results, output=path, cluster=cluster.address, progress=act)
    assert_same(table, expected)
    assert len(set(table["pid"])) == 2  # a process on each worker


def test_a_scheduler_that_is_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "REACH_SECONDS", 1.0)
    for address, told in (
        ("tcp://127.0.0.1:9", "cannot be reached"),
        ("nonsense", "cannot be reached"),
        ("tls://127.0.0.1:9", "give the certificates"),
    ):
        with pytest.raises(pc.errors.StudyError, match=told):
            pc.study(drop(), speeds(2), RESULTS, output=tmp_path / "study.h5", cluster=address)


def test_encrypted_and_with_certificates(tmp_path: Path, expected: pc.studies.StudyTable, monkeypatch: Any) -> None:
    trustme = pytest.importorskip("trustme")
    authority = trustme.CA()
    certificate = authority.issue_cert("127.0.0.1")
    files = {name: str(tmp_path / f"{name}.pem") for name in ("ca", "cert", "key")}
    authority.cert_pem.write_to_path(files["ca"])
    certificate.private_key_pem.write_to_path(files["key"])
    for blob in certificate.cert_chain_pems:
        blob.write_to_path(files["cert"], append=True)
    options = ("--tls-ca-file", files["ca"], "--tls-cert", files["cert"], "--tls-key", files["key"])
    with dask(tmp_path, "tls", options) as cluster:
        assert cluster.address.startswith("tls://")
        cluster.worker()
        path = tmp_path / "study.h5"
        table = pc.study(drop(), speeds(12), RESULTS, output=path, cluster=cluster.address, tls=files)
        assert_same(table, expected)
        monkeypatch.setattr(cluster_module, "REACH_SECONDS", 2.0)
        stranger = trustme.CA()
        stranger.cert_pem.write_to_path(str(tmp_path / "other.pem"))
        with pytest.raises(pc.errors.StudyError, match="cannot be reached"):
            pc.study(
                drop(), speeds(2), RESULTS, output=tmp_path / "b.h5", cluster=cluster.address,
                tls={**files, "ca": str(tmp_path / "other.pem")},
            )  # fmt: skip
    with pytest.raises(pc.errors.StudyError, match="cannot be read"):
        pc.study(drop(), speeds(2), RESULTS, output=path, replace=True, cluster="tls://a:1", tls={**files, "key": "no"})
