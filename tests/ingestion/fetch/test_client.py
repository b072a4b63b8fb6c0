"""The client against a real server that behaves as servers do, and as they should not."""

import gzip
import itertools
import ssl
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from clausegraph.core.pages.read import HTML
from clausegraph.ingestion.fetch import Validators, WebClient, WebLimits, WebReply
from clausegraph.ingestion.fetch.bodies import BodyRefusedError, gunzipped
from clausegraph.ingestion.fetch.politeness import HostPace, retry_after
from tests.harness.mail import certified
from tests.harness.site import NAME, Answer, Site, local_site

pytestmark = pytest.mark.integration

FAST: dict[str, Any] = {"wait_s": 0.0, "interval_s": 0.0, "allow": ("127.0.0.1",), "names": {NAME: ("127.0.0.1",)}}


def fetched(site: Site, path: str = "/", validators: Validators = Validators(), **limits: Any) -> WebReply:
    with WebClient(WebLimits(**(FAST | limits))) as client:
        return client.fetch(site.url(path), (HTML,), validators)


def test_a_page_comes_back_as_the_bytes_that_were_sent(site: Site) -> None:
    body = "<p>Gebühr</p>".encode("latin-1")
    site.page("/", body, content_type='Text/HTML; Charset="ISO-8859-1"', headers={"Last-Modified": "yesterday"})
    reply = fetched(site, contact="ops@agency.example")
    assert (reply.outcome, reply.body, reply.content_type) == ("page", body, "text/html; charset=iso-8859-1")
    assert reply.etag and reply.last_modified == "yesterday"
    asked = site.asked[-1].headers
    assert asked["Host"] == f"{NAME}:{site.port}"
    assert asked["User-Agent"].startswith("ClauseGraph/") and asked["User-Agent"].endswith("(+ops@agency.example)")
    assert "Cookie" not in asked


def test_what_is_unchanged_is_not_sent_again(site: Site) -> None:
    site.page("/", "<p>one</p>")
    first = fetched(site)
    assert fetched(site, validators=Validators(first.etag)).outcome == "unchanged"
    site.page("/", "<p>two</p>")
    assert fetched(site, validators=Validators(first.etag)).body == b"<p>two</p>"


@pytest.mark.parametrize("etag", ['"caf\xe9"', '"' + "x" * 2000 + '"'])
def test_a_validator_that_cannot_be_sent_back_is_none(site: Site, etag: str) -> None:
    site.page("/", "<p>one</p>", etag=False, headers={"ETag": etag})
    assert fetched(site).etag == ""
    assert fetched(site, validators=Validators(etag)).outcome == "page"
    assert "If-None-Match" not in site.asked[-1].headers


@pytest.mark.parametrize(
    ("status", "outcome", "requests"),
    [(404, "gone", 1), (410, "gone", 1), (403, "refused", 1), (401, "refused", 1), (204, "refused", 1),
     (500, "failed", 3), (503, "failed", 3), (429, "failed", 3), (299, "refused", 1),
     (304, "refused", 1)],  # which nobody has asked for
)  # fmt: skip
def test_statuses(site: Site, status: int, outcome: str, requests: int) -> None:
    site.error("/", status)
    reply = fetched(site)
    assert (reply.outcome, reply.status) == (outcome, status)
    assert str(status) in reply.reason
    assert site.counts()["/"] == requests


def test_a_server_that_recovers_is_asked_again(site: Site) -> None:
    states = iter([Answer(status=503, headers={"Retry-After": "0"}), Answer(status=500), Answer(b"<p>up</p>")])
    site.answers["/"] = lambda path: next(states)
    assert fetched(site).body == b"<p>up</p>"


def test_waits_grow_and_retry_after_is_kept_up_to_a_limit(site: Site) -> None:
    slept: list[float] = []
    site.error("/", 500)
    site.error("/soon", 503, **{"Retry-After": "7"})
    site.error("/later", 503, **{"Retry-After": "3600"})
    limits = WebLimits(**(FAST | {"wait_s": 2.0}))
    with WebClient(limits, pace=HostPace(sleep=slept.append)) as client:
        client.fetch(site.url("/"), (HTML,))
        assert slept == [2.0, 4.0]
        slept.clear()
        client.fetch(site.url("/soon"), (HTML,))
        assert slept == [7.0, 7.0]
        slept.clear()
        assert "asks to come back in 3600 seconds" in client.fetch(site.url("/later"), (HTML,)).reason
        assert slept == []


def test_a_host_that_wants_to_be_left_alone_is(site: Site) -> None:
    site.error("/", 503, **{"Retry-After": "3600"})
    site.page("/other", "<p>one</p>")
    with WebClient(WebLimits(**FAST)) as client:
        client.fetch(site.url("/"), (HTML,))
        reply = client.fetch(site.url("/other"), (HTML,))
    assert reply.outcome == "failed" and "asked to come back in 3" in reply.reason
    assert site.counts() == {"/": 1}


def test_a_host_that_has_fallen_silent_is_asked_no_more() -> None:
    now = [0.0]
    pace = HostPace(lambda: now[0], lambda seconds: None)
    for _ in range(5):
        assert pace.why_not("a") == ""
        pace.told("a", answered=False, after_s=0.0)
    assert "no whole reply 5 times in a row" in pace.why_not("a") and pace.why_not("b") == ""
    pace.told("b", answered=True, after_s=90.0)
    assert pace.why_not("b") == "the host asked to come back in 90 seconds"
    now[0] = 91.0
    assert pace.why_not("b") == ""


def test_retry_after_may_be_a_date() -> None:
    assert retry_after("Thu, 01 Jan 1970 00:00:00 GMT") == 0.0
    assert (retry_after("Thu, 01 Jan 2099 00:00:00 GMT") or 0) > 1e9
    assert retry_after("soon") is None and retry_after(None) is None and retry_after("-1") is None


def test_a_host_is_asked_at_intervals() -> None:
    now, slept = [0.0], []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    pace = HostPace(lambda: now[0], sleep)
    for host in ("a", "b", "a", "a"):
        pace.wait(host, 1.5)
    assert slept == [1.5, 1.5]


def test_a_redirect_is_told_and_not_followed(site: Site) -> None:
    for status in (301, 302, 303, 307, 308):
        site.moved("/old", "../new?utm_source=x#part", status)
        reply = fetched(site, "/old")
        assert (reply.outcome, reply.target, reply.permanent) == ("moved", site.url("/new"), status in (301, 308))
    assert "/new" not in site.counts()


@pytest.mark.parametrize("to", ["", "mailto:x@y.example", "http://[", "file:///etc/passwd"])
def test_a_redirect_to_nowhere_fails(site: Site, to: str) -> None:
    site.moved("/old", to)
    assert fetched(site, "/old").outcome == "failed"


# --- limits ---------------------------------------------------------------------------------------


def endless(first: bytes = b"<p>") -> Iterator[bytes]:
    return itertools.chain([first], itertools.repeat(b"x" * 65536))


def test_a_body_without_end_is_cut_off(site: Site) -> None:
    sent = 0

    def chunks() -> Iterator[bytes]:
        nonlocal sent
        for chunk in endless():
            sent += len(chunk)
            yield chunk

    site.answers["/"] = Answer(chunks=chunks, etag=False)
    reply = fetched(site, body_bytes=1_000_000)
    assert (reply.outcome, reply.reason) == ("refused", "the body has more than 0.953674 MB")
    assert sent < 20_000_000  # what the sockets hold between the two, not the gigabyte


def test_a_body_that_says_it_is_a_gigabyte_is_not_begun(site: Site) -> None:
    site.answers["/"] = Answer(headers={"Content-Length": str(2**30)}, chunks=endless, etag=False)
    reply = fetched(site)
    assert (reply.outcome, reply.reason) == ("refused", "the body has 1024 MB; the limit is 20 MB")


def test_packed_bodies_are_unpacked_and_bombs_refused_before_they_grow(site: Site) -> None:
    text = b"<p>" + b"The fee is 120 EUR. " * 2000 + b"</p>"
    site.page("/", gzip.compress(text), headers={"Content-Encoding": "gzip"})
    assert fetched(site).body == text
    site.page("/", gzip.compress(b"\0" * 60_000_000), headers={"Content-Encoding": "gzip"})
    reply = fetched(site)
    assert reply.outcome == "refused"
    assert "200 times its size" in reply.reason or "unpacks to more than 20 MB" in reply.reason


def test_gzip_in_very_many_parts_takes_no_time() -> None:
    """Each part of a file copies what lies behind it, so that time would grow with the square of their number."""
    text = b"<p>The fee is 120 EUR.</p>"
    assert gunzipped(gzip.compress(text) * 300, 10**6) == text * 300
    start = time.process_time()
    with pytest.raises(BodyRefusedError, match="packed in more than 10000 parts"):
        gunzipped(gzip.compress(b"") * 1_000_000, 10**6)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("encoding", "body", "reason"),
    [("gzip", b"no gzip", "cannot be unpacked"), ("br", b"\xff" * 40, "packed as 'br'"),
     ("gzip", gzip.compress(b"<p>" * 999, mtime=0)[:-9], "too early"),
     ("zstd", b"x", "packed as 'zstd'"), ("gzip, gzip", b"x", "packed as 'gzip, gzip'")],
)  # fmt: skip
def test_bodies_that_cannot_be_unpacked(site: Site, encoding: str, body: bytes, reason: str) -> None:
    site.page("/", body, headers={"Content-Encoding": encoding})
    reply = fetched(site)
    assert reply.outcome == "refused" and reason in reply.reason


def test_slow_bytes_end_by_the_deadline(site: Site) -> None:
    stop = threading.Event()

    def chunks() -> Iterator[bytes]:
        while not stop.wait(0.05):
            yield b"."

    site.answers["/"] = Answer(chunks=chunks, etag=False)
    reply = fetched(site, seconds=0.5)  # without the deadline this would not return
    stop.set()
    assert (reply.outcome, reply.reason) == ("failed", "no whole reply within 0.5 seconds")
    assert site.counts()["/"] == 1  # another attempt would take as long


def test_slow_headers_end_by_the_deadline() -> None:
    limits = WebLimits(**(FAST | {"seconds": 0.4, "attempts": 1}))
    with RawServer(b"HTTP/1.1 200 OK\r\nX-Slow: ", b"a") as port, WebClient(limits) as client:
        reply = client.fetch(f"http://{NAME}:{port}/", (HTML,))
    assert reply.outcome == "failed" and "within 0.4 seconds" in reply.reason


def test_other_content_is_not_read(site: Site) -> None:
    site.answers["/film"] = Answer(content_type="video/mp4", chunks=endless, etag=False)
    reply = fetched(site, "/film")
    found = (reply.outcome, reply.reason, reply.content_type)
    assert found == ("refused", "it is video/mp4, which is not read", "video/mp4")


def test_no_server_and_a_server_that_talks_nonsense() -> None:
    with local_site() as gone:
        pass
    reply = fetched(gone)
    assert reply.outcome == "failed" and "connection failed" in reply.reason
    limits = WebLimits(**(FAST | {"seconds": 2.0}))
    with RawServer(b"SSH-2.0-OpenSSH_9.6\r\n", b"") as port, WebClient(limits) as client:
        assert client.fetch(f"http://{NAME}:{port}/", (HTML,)).outcome == "failed"


# --- where it may go ------------------------------------------------------------------------------


def test_a_forbidden_listener_hears_nothing(site: Site) -> None:
    with local_site("127.0.0.2") as inner:
        inner.page("/secret", "<p>secret</p>")
        names = {NAME: ("127.0.0.1",), "inner.test": ("127.0.0.2",), "both.test": ("127.0.0.1", "127.0.0.2")}
        for name in ("inner.test", "both.test", "127.0.0.2"):
            with WebClient(WebLimits(**(FAST | {"names": names}))) as client:
                reply = client.fetch(inner.url("/secret", name), (HTML,))
            assert reply.outcome == "refused" and "no public address" in reply.reason
        assert inner.asked == []
        with WebClient(WebLimits(**(FAST | {"names": names, "allow": ("127.0.0.0/8",)}))) as client:  # the control
            assert client.fetch(inner.url("/secret", "inner.test"), (HTML,)).body == b"<p>secret</p>"
        assert [one.path for one in inner.asked] == ["/robots.txt", "/secret"]


def test_a_name_that_answers_otherwise_the_second_time(site: Site) -> None:
    """The connection is made to the address that was checked; a later look-up is checked again."""
    answers = ["127.0.0.1"]
    with local_site("127.0.0.2") as inner:
        inner.fallback = lambda path: Answer(b"<p>secret</p>")
        site.fallback = lambda path: Answer(b"<p>open</p>", headers={"Connection": "close"})
        limits = WebLimits(**(FAST | {"names": {}}))
        with WebClient(limits, resolve=lambda host, port: answers) as client:
            assert client.fetch(site.url("/"), (HTML,)).body == b"<p>open</p>"
            answers[:] = ["127.0.0.2"]
            reply = client.fetch(site.url("/"), (HTML,))
            assert reply.outcome == "refused" and "127.0.0.2" in reply.reason
        assert inner.asked == []


def test_redirects_of_robots_txt_are_checked_too(site: Site) -> None:
    with local_site("127.0.0.2") as inner:
        site.moved("/robots.txt", inner.url("/robots.txt", "127.0.0.2"))
        site.page("/", "<p>open</p>")
        reply = fetched(site)
        assert reply.outcome == "refused" and "127.0.0.2" in reply.reason
        assert inner.asked == []


def test_robots_txt(site: Site) -> None:
    site.page("/robots.txt", "User-agent: *\nDisallow: /private\nCrawl-delay: 0", content_type="text/plain")
    site.page("/private/x", "<p>x</p>")
    site.page("/open", "<p>x</p>")
    with WebClient(WebLimits(**FAST)) as client:
        assert client.fetch(site.url("/private/x"), (HTML,)).reason == "robots.txt forbids it"
        assert client.fetch(site.url("/open"), (HTML,)).outcome == "page"
    assert [one.path for one in site.asked] == ["/robots.txt", "/open"]


def test_of_a_long_robots_txt_the_beginning_counts(site: Site) -> None:
    rules = "User-agent: *\nDisallow: /private\n" + "# a remark\n" * 60_000
    site.page("/robots.txt", rules, content_type="text/plain")
    site.page("/open", "<p>x</p>")
    with WebClient(WebLimits(**FAST)) as client:
        assert client.fetch(site.url("/private/x"), (HTML,)).reason == "robots.txt forbids it"
        assert client.fetch(site.url("/open"), (HTML,)).outcome == "page"


def test_robots_txt_that_cannot_be_read_stops_the_host(site: Site) -> None:
    site.error("/robots.txt", 500)
    site.page("/", "<p>x</p>")
    reply = fetched(site)
    assert reply.outcome == "failed" and "robots.txt cannot be read" in reply.reason
    assert site.counts() == {}


def test_a_delay_without_reason_is_not_waited_for(site: Site) -> None:
    site.page("/robots.txt", "User-agent: *\nCrawl-delay: 86400", content_type="text/plain")
    assert fetched(site).reason == "robots.txt asks for 86400 seconds between two requests"


def test_tls_names_the_host_and_verifies_it(tmp_path: Path) -> None:
    served = certified(tmp_path, NAME)
    heard: list[str | None] = []
    with local_site() as site:
        served.sni_callback = lambda sock, name, context: heard.append(name)
        site._server.socket = served.wrap_socket(site._server.socket, server_side=True)
        site.page("/", "<p>safe</p>")
        limits = WebLimits(**(FAST | {"names": {NAME: ("127.0.0.1",), "other.test": ("127.0.0.1",)}}))
        with WebClient(limits, verify=ssl.create_default_context(cafile=str(tmp_path / "cert.pem"))) as client:
            assert client.fetch(f"https://{NAME}:{site.port}/", (HTML,)).body == b"<p>safe</p>"
            other = client.fetch(f"https://other.test:{site.port}/", (HTML,))
        assert other.outcome == "failed" and "certificate" in other.reason.lower()
    assert heard[0] == NAME and "other.test" in heard


class RawServer:
    """Sends some bytes, then one more at a time for as long as somebody listens."""

    def __init__(self, first: bytes, then: bytes) -> None:
        class Handler(BaseHTTPRequestHandler):
            def handle(self) -> None:
                try:
                    self.request.sendall(first)
                    while then:
                        self.request.sendall(then)
                        time.sleep(0.05)
                except OSError:
                    return

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self) -> int:
        self._thread.start()
        return int(self._server.server_address[1])

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
