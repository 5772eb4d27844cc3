"""Runs on a cluster: Dask distributes them, and on each worker of Dask a process of our own makes them.

So a run that hangs can be killed there too, and one that crashes does not take the worker of Dask with it. Only a few
more runs than there are cores are under way at a time: the scheduler never sees all of a large study at once.
"""

from __future__ import annotations

import ipaddress
import math
import queue
import threading
import time
import warnings
import weakref
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

from polycontact.errors import StudyError, StudyWarning, level_of_the_caller
from polycontact.studies.one_run import RunRow, RunTask, StudyWork
from polycontact.studies.pool import lasting_row
from polycontact.workers.worker_process import COMPILING_SECONDS, WorkerProcess

LOCAL: Final = "local"

REACH_SECONDS: Final = 10.0
"""How long a scheduler may take to answer."""

RUNS_PER_CORE: Final = 2
"""Runs under way for each core of the cluster: one that is made, one that waits there."""

FEWEST_RUNS_UNDER_WAY: Final = 8
"""Runs under way at least, also where no worker has come yet."""

TELL_SECONDS: Final = 1.0
"""How often workers are counted, and told how things stand where no run ends."""

_own = threading.local()
_all: weakref.WeakSet[WorkerProcess] = weakref.WeakSet()
_first, _warm = threading.Lock(), threading.Event()


def run_on_worker(work: StudyWork, task: RunTask, time_limit: float | None, retries: int) -> tuple[Any, ...]:
    """Make a run on a worker of Dask, each thread of which has a process: the next run of the study finds it warm.

    The first run goes alone, so that kernels are compiled once.
    """
    alone = not _warm.is_set() and _first.acquire(timeout=COMPILING_SECONDS)
    try:
        row = lasting_row(_process(work), task, len(work.results), time_limit, retries)
    finally:
        _warm.set()
        if alone:
            _first.release()
    assert row is not None
    return tuple(row)


def _process(work: StudyWork) -> WorkerProcess:
    """The worker process of this thread, started anew for other work."""
    process: WorkerProcess | None = getattr(_own, "process", None)
    if process is None or process.work != work:
        if process is not None:
            process.close()
        process = _own.process = WorkerProcess(work, StudyError)
        _all.add(process)
    return process


class ClusterPool:
    """Makes runs on the cluster at ``address``, or on one on this machine for "local"."""

    def __init__(
        self,
        work: StudyWork,
        address: str,
        workers: int,
        tls: Mapping[str, str] | None,
        time_limit: float | None,
        retries: int,
    ) -> None:
        self._work = work
        self._time_limit = time_limit
        self._retries = retries
        self._cluster: Any = None
        self._closed = False
        distributed = _import_distributed()
        self._killed: type[Exception] = distributed.scheduler.KilledWorker
        security = _security(distributed, address, tls)
        _warn_of_open_port(address)
        self._cluster = _local_cluster(distributed, workers) if address == LOCAL else None
        self._client = self._reached(distributed, address, security)
        self.n_workers = 0

    def _reached(self, distributed: Any, address: str, security: Any) -> Any:
        """The client of a scheduler that answers."""
        try:
            return distributed.Client(
                self._cluster or address, timeout=REACH_SECONDS, security=security, set_as_default=False
            )
        except Exception as error:  # Dask raises what it likes: OSError, TimeoutError, ValueError, ssl.SSLError, …
            told = " ".join(str(error).split()) or type(error).__name__
            raise StudyError(
                f"the scheduler at {address} cannot be reached: {told}; start one with 'dask scheduler', and check the "
                f"address{' and the certificates' if address.startswith('tls') else ''}"
            ) from error

    def rows(self, tasks: Iterable[RunTask], *, last: bool = True) -> Iterator[RunRow | None]:
        """A row for each task, in the order in which they are done; None where nothing ended for a while.

        ``last``: no other tasks follow, so that the cluster is let go at the end.
        """
        more = False
        waiting = iter(tasks)
        under_way: dict[Any, tuple[Any, RunTask]] = {}  # Dask drops a run whose future nobody holds
        ended: queue.SimpleQueue[Any] = queue.SimpleQueue()
        looked = -math.inf
        try:
            while True:
                if time.monotonic() - looked > TELL_SECONDS:  # workers come and go
                    self.n_workers, looked = self._count(), time.monotonic()
                for future, task in self._submitted(waiting, len(under_way)):
                    under_way[future.key] = (future, task)
                    future.add_done_callback(ended.put)
                if not under_way:
                    more = not last
                    return
                try:
                    future = ended.get(timeout=TELL_SECONDS)
                except queue.Empty:
                    yield None
                else:
                    yield self._row(*under_way.pop(future.key))
        finally:
            if not more:
                self.close()

    def _submitted(self, waiting: Iterator[RunTask], n_under_way: int) -> Iterator[tuple[Any, RunTask]]:
        """Hand on as many runs as the cluster can use."""
        for _ in range(max(RUNS_PER_CORE * self.n_workers, FEWEST_RUNS_UNDER_WAY) - n_under_way):
            task = next(waiting, None)
            if task is None:
                return
            arguments = (self._work, task, self._time_limit, self._retries)
            yield self._client.submit(run_on_worker, *arguments, pure=False), task  # its key is like no other

    def _row(self, future: Any, task: RunTask) -> RunRow:
        if future.status == "cancelled":
            raise StudyError("the scheduler has been lost; start the study again when it is back: it goes on")
        try:
            return RunRow(*future.result())
        except StudyError:
            raise
        except self._killed as error:
            told = f"workers of the cluster died while they made it: {' '.join(str(error).split())[:120]}"
            return RunRow(task.number, "lost", told, (math.nan,) * len(self._work.results), attempts=self._retries + 1)
        except Exception as error:
            told = f"{type(error).__name__}: {error}"
            raise StudyError(f"run {task.number} cannot be made on the cluster: {told}") from error

    def _count(self) -> int:
        """Threads of all workers that are there now."""
        workers = self._client.scheduler_info(n_workers=-1)["workers"]
        return sum(int(each["nthreads"]) for each in workers.values())

    def close(self) -> None:
        """Let go of the cluster; one within this process ends."""
        if self._closed:
            return
        self._closed = True
        try:
            self._client.close(timeout=REACH_SECONDS)
        finally:
            if self._cluster is not None:
                for process in list(_all):
                    process.close()
                self._cluster.close(timeout=REACH_SECONDS)


def _warn_of_open_port(address: str) -> None:
    """Tell that a scheduler without encryption runs code for whoever reaches it, unless it is on this machine."""
    scheme, _, rest = address.rpartition("://")
    host = (urlsplit(f"//{rest}").hostname or "") if address != LOCAL else "localhost"
    if scheme in ("", "tcp") and host != "localhost" and not _is_loopback(host):
        warnings.warn(
            f"the scheduler at {address} is not encrypted: whoever reaches its port can run code on all workers and "
            "read the study; use it on a network that nobody else can reach, or start it with --protocol tls and give "
            "a tls:// address with --tls-ca, --tls-cert and --tls-key",
            StudyWarning,
            stacklevel=level_of_the_caller(),
        )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _local_cluster(distributed: Any, workers: int) -> Any:
    """A scheduler and a worker in this process, which listen to this machine alone; the runs have their processes."""
    return distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=workers,
        processes=False,
        protocol="tcp",
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=40,
    )


def _security(distributed: Any, address: str, tls: Mapping[str, str] | None) -> Any:
    """Certificates for an encrypted connection."""
    if not tls:
        if address.startswith("tls:"):
            raise StudyError(f"{address} is encrypted; give the certificates: --tls-ca, --tls-cert and --tls-key")
        return None
    if not address.startswith("tls:"):
        raise StudyError(f"certificates go with an address that begins with tls://, not with {address}")
    unknown = set(tls) - {"ca", "cert", "key"}
    missing = {"ca", "cert", "key"} - set(tls)
    if unknown or missing:
        raise StudyError("give three certificate files: --tls-ca, --tls-cert and --tls-key")
    for name, file in tls.items():
        try:
            with open(file, "rb"):
                pass
        except OSError as error:
            raise StudyError(f"--tls-{name} {file}: cannot be read: {error.strerror}; check the path") from error
    return distributed.Security(
        tls_ca_file=tls["ca"], tls_client_cert=tls["cert"], tls_client_key=tls["key"], require_encryption=True
    )


def _import_distributed() -> Any:
    try:
        import distributed
    except ImportError as error:
        raise StudyError("a cluster needs the package distributed: 'pip install polycontact[cluster]'") from error
    return distributed
