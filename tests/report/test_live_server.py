"""The server of a live page: it answers its own page, and nobody else, whatever is sent."""

from __future__ import annotations

import gzip
import http.client
import io
import json
import socket
import struct
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from view_subjects import array_of, bubbles_run, content_of

from polycontact.report.view.live import serving
from polycontact.report.view.live.requests import LONGEST_BODY, MOST_SAMPLES
from polycontact.report.view.live.run_state import RunState
from polycontact.report.view.live.serving import LiveRun, Server
from polycontact.report.view.live.thinning import chosen_samples


@pytest.fixture(scope="module")
def run_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return bubbles_run(tmp_path_factory.mktemp("run") / "run.h5", 0.6, 0.02)


@pytest.fixture
def server(run_file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server]:
    """A server in this process, which has heard that the run goes on; what it tells the run is in ``told``."""
    run = LiveRun(run_file)
    run.state = RunState(begun=True, time=0.3, end_time=0.6)
    served = Server(0, run)
    served.told = []  # type: ignore[attr-defined]
    monkeypatch.setattr(serving, "tell", served.told.append)  # type: ignore[attr-defined]
    thread = threading.Thread(target=served.serve_forever, daemon=True)
    thread.start()
    yield served
    served.shutdown()
    served.server_close()


def ask(
    server: Server, path: str, *, method: str = "GET", body: bytes | None = None, **headers: str
) -> tuple[int, dict[str, str], bytes]:
    """Status, headers and content of an answer; ``path`` stands after the token."""
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=60)
    try:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path if path.startswith("/") else f"/{server.token}/{path}", body, named)
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def command(server: Server, body: bytes, **headers: str) -> int:
    given = {"X_Polycontact_Token": server.token, **headers}
    return ask(server, "command", method="POST", body=body, **given)[0]


def test_listens_on_the_loopback_address_only(server: Server) -> None:
    assert server.server_address[0] == "127.0.0.1"
    assert server.url == f"http://127.0.0.1:{server.port}/{server.token}/"
    assert len(server.token) >= 32


def test_page_state_and_frames(server: Server) -> None:
    status, headers, page = ask(server, "")
    assert status == 200
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"]
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "Access-Control-Allow-Origin" not in headers
    content, _ = content_of(page.decode())
    assert content["live"]
    assert len(content["times"]) == 1
    state = json.loads(ask(server, "state?page=abc")[2])
    assert state["chosen"] == list(range(31))
    assert state["quantities"][0]["max"] > 0
    assert {key: unit["unit"] for key, unit in state["units"].items() if key in ("force", "area")} == {
        "force": "N",
        "area": "cm²",
    }
    assert state["state"]["time"] == 0.3
    data = gzip.decompress(ask(server, "frames?samples=22,0,21")[2])
    (n,) = struct.unpack_from("<I", data)
    batch, arrays = json.loads(data[4 : 4 + n]), data[4 + n :]
    assert 22 in batch["samples"]  # the first that was asked for, however slow the machine
    assert batch["samples"] == sorted(batch["samples"])
    rows = array_of(batch["rows"], arrays).reshape(len(batch["samples"]), batch["width"])
    assert rows[batch["samples"].index(22), 0] > 0  # a force
    assert batch["contacts"][batch["samples"].index(22)]
    assert np.isfinite(array_of(batch["poses"], arrays)).all()


def test_waits_for_the_first_step(run_file: Path) -> None:
    """Before, the file may be that of a run before."""
    run = LiveRun(run_file)
    assert "about to begin" in run.page()
    assert run.facts("page")["chosen"] == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 403),
        ("/wrong/", 403),
        ("/wrong/state", 403),
        ("/../../etc/passwd", 403),
        ("/%2e%2e/%2e%2e/etc/passwd", 403),
        ("/" + 5000 * "a", 414),
        ("/" + 100_000 * "a", 414),
        ("../../etc/passwd", 404),
        ("%2e%2e/run.h5", 404),
        ("run.h5", 404),
        ("state/", 404),
        ("frames", 400),
        ("frames?samples=", 400),
        ("frames?samples=-1", 400),
        ("frames?samples=1.5", 400),
        ("frames?samples=nan", 400),
        ("frames?samples=²", 400),
        ("frames?samples=99999999999999999999", 400),
        ("frames?samples=31", 404),
        ("frames?samples=" + ",".join(map(str, range(MOST_SAMPLES + 1))), 400),
        ("frames?" + "&".join(f"a{i}=1" for i in range(50)), 400),
    ],
)
def test_wrong_paths(server: Server, path: str, status: int) -> None:
    found, headers, content = ask(server, path.replace("²", "%C2%B2"))
    assert found == status
    assert headers.get("X-Content-Type-Options", "nosniff") == "nosniff"
    assert b"root:" not in content
    assert ask(server, "state")[0] == 200  # it serves on


@pytest.mark.parametrize(
    "headers",
    [
        {"Host": "evil.example"},
        {"Host": "evil.example:80"},
        {"Host": "127.0.0.1"},  # another port than this
        {"Host": ""},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec_Fetch_Site": "cross-site"},
        {"Sec_Fetch_Site": "same-site"},  # another port of this machine
    ],
)
def test_other_pages_and_hosts_are_refused(server: Server, headers: dict[str, str]) -> None:
    """Another page in the same browser, also one whose name leads to this machine, reads and stops nothing."""
    for path in ("", "state", "frames?samples=0"):
        status, _, content = ask(server, path, **headers)
        assert status in (403, 421)
        assert len(content) < 200
    assert command(server, b'{"do": "stop"}', **headers) in (403, 421)
    assert server.told == []  # type: ignore[attr-defined]


def test_commands_need_the_token_in_a_header(server: Server) -> None:
    assert ask(server, "command", method="POST", body=b'{"do": "stop"}')[0] == 403
    assert command(server, b'{"do": "stop"}', X_Polycontact_Token="wrong") == 403
    assert ask(server, "command")[0] == 404  # a link or picture can only read
    assert ask(server, "state", method="POST", body=b"")[0] == 405
    assert server.told == []  # type: ignore[attr-defined]
    origin = {"Origin": f"http://127.0.0.1:{server.port}", "Sec_Fetch_Site": "same-origin"}
    assert command(server, b'{"do": "pause"}', **origin) == 200
    assert server.told == [{"do": "pause"}]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'"stop"', b'{"do": 1}', b'{"do": "rm"}', b"\xff\xfe", b'{"do": ["stop"]}', b"[" * 200]
)
def test_commands_that_make_no_sense(server: Server, body: bytes) -> None:
    assert command(server, body) == 400
    assert server.told == []  # type: ignore[attr-defined]


@pytest.mark.parametrize("length", ["-1", "many", "", str(LONGEST_BODY + 1), "9" * 30])
def test_lengths_that_make_no_sense(server: Server, length: str) -> None:
    assert command(server, b"", Content_Length=length) in (411, 413)


@pytest.mark.parametrize("method", ["OPTIONS", "PUT", "DELETE", "HEAD", "CONNECT", "FOO"])
def test_other_methods(server: Server, method: str) -> None:
    """No permission is given to a page that asks whether it may send a command."""
    status, headers, _ = ask(server, "command", method=method)
    assert status in (405, 501)
    assert not any(name.lower().startswith("access-control") for name in headers)


@pytest.mark.parametrize("sent", [b"\r\n\r\n", b"\x00" * 100, b"GET\r\n\r\n", b"GET / HTTP/9\r\n\r\n", b"A" * 70_000])
def test_what_is_no_request(server: Server, sent: bytes) -> None:
    with socket.create_connection(("127.0.0.1", server.port), timeout=60) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        answer = b""
        try:
            while part := connection.recv(4096):
                answer += part
        except ConnectionError:  # it was closed before all was read
            pass
    assert b" 200 " not in answer
    assert ask(server, "state")[0] == 200


def test_many_connections_do_not_add_up(server: Server) -> None:
    """Connections that say nothing: some are kept for a while, the others closed; the page is served after them."""
    held = [
        socket.create_connection(("127.0.0.1", server.port), timeout=60) for _ in range(serving.MOST_CONNECTIONS + 8)
    ]
    closed = 0
    for connection in held[-4:]:
        closed += connection.recv(1) == b""
    assert closed == 4
    for connection in held:
        connection.close()
    for _ in range(100):
        try:
            if ask(server, "state")[0] == 200:
                break
        except (ConnectionError, http.client.HTTPException):
            threading.Event().wait(0.1)
    else:
        pytest.fail("it does not answer any more")


def test_a_page_that_waits_for_its_answer_is_awaited(run_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long it takes: the end of the run waits for the page."""
    run = LiveRun(run_file)
    seen: list[bool] = []
    monkeypatch.setattr(serving, "PAGE_GONE_SECONDS", 0.0)  # a page is gone as soon as it has been answered
    monkeypatch.setattr(LiveRun, "_follow", lambda self: seen.append(self.came and self.is_awaited()))
    run.facts("page")
    assert seen == [True]
    assert not run.is_awaited()


def test_pages_are_forgotten_that_have_all(server: Server) -> None:
    ask(server, "state?page=abc")
    assert server.run.is_awaited()
    assert command(server, b'{"do": "seen", "page": "abc"}') == 200
    assert not server.run.is_awaited()
    for i in range(100):
        ask(server, f"state?page=p{i}")
    assert len(server.run.pages) <= serving.MOST_CONNECTIONS


def test_thinned_samples_only_go() -> None:
    """However long a run is: a bounded number, all over it, with peaks; none comes back that was let go."""
    load = np.maximum(np.random.default_rng(seed=3).normal(size=5000), 0.0)
    load[1234] = 100.0
    before: set[int] = set()
    gone: set[int] = set()
    for n in range(1, 5001, 7):
        chosen = set(chosen_samples(load[:n], 60).tolist())
        assert len(chosen) <= 61
        assert n - 1 in chosen
        whole = chosen - {n - 1}
        gone |= before - whole
        assert not gone & whole
        before = whole
        if n > 2000:
            assert 1234 in chosen
    assert np.diff(sorted(before)).max() < 3 * 5000 / 30
    assert chosen_samples(np.empty(0)).tolist() == []


def test_stored_bytes_are_what_the_page_reads(server: Server) -> None:
    data = gzip.GzipFile(fileobj=io.BytesIO(ask(server, "frames?samples=3")[2])).read()
    (n,) = struct.unpack_from("<I", data)
    content: dict[str, Any] = json.loads(data[4 : 4 + n])
    assert content["samples"] == [3]
    assert content["times"] == [0.06]
