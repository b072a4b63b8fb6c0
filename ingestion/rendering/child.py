"""The process that drives a browser for one page. The browser reaches no network: whatever the page asks for is asked
of the run, which fetches it, or not, under the rules of its own client.

Every request that the browser lets be answered is answered here. Some it does not (WebRTC sends datagrams past all of
its settings), so the process leaves the machine's network before it starts one: Linux gives it a network of its own in
which there is nothing. Where that is not to be had, nothing is rendered.
"""

from __future__ import annotations

import ctypes
import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from playwright.sync_api import Error, Route, TimeoutError, sync_playwright

from clausegraph.ingestion.fetch import normalised
from clausegraph.ingestion.reading.frames import read_frame, write_frame

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000  # of unshare(2)
_ARGUMENTS = ["--disable-background-networking", "--disable-dev-shm-usage", "--js-flags=--max-old-space-size=512"]
_WORTH = {"script", "xhr", "fetch"}  # types of requests that text may come of
_EMPTY = {"stylesheet": "text/css"}  # … and what a page may wait for


class _Page:
    """The one page, and the requests that it makes."""

    def __init__(self, address: str, raw: bytes, requests: BinaryIO, replies: BinaryIO) -> None:
        self._address = address
        self._raw = raw
        self._requests = requests
        self._replies = replies

    def answer(self, route: Route) -> None:
        """Answer a request of the page's."""
        request = route.request
        address = normalised(request.url)
        kind = request.resource_type
        if request.is_navigation_request():
            if address == self._address and request.frame.parent_frame is None:
                route.fulfill(body=self._raw, content_type="text/html")
            else:
                route.abort()  # neither a frame, nor another page in the place of this one
        elif kind in _EMPTY:
            route.fulfill(body="", content_type=_EMPTY[kind])
        elif address is None or request.method != "GET" or kind not in _WORTH:
            route.abort()
        else:
            write_frame(self._replies, {"ask": address})
            found = read_frame(self._requests)
            if found is None:
                os._exit(0)
            if not found[0]["type"]:
                route.abort()
            else:
                headers = {"access-control-allow-origin": "*", "content-type": found[0]["type"]}
                route.fulfill(body=found[1], headers=headers)


def main(executable: str) -> None:
    """Render the page that comes on stdin."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no reply
    first = read_frame(sys.stdin.buffer)
    if first is None:
        return
    address = str(first[0]["address"])
    page = _Page(address, first[1], sys.stdin.buffer, replies)
    if why := _leave_network():
        write_frame(replies, {"problem": why})
        return
    try:
        html, problem = _rendered(executable, address, page, float(first[0]["patience"])), ""
    except Error as error:
        html, problem = b"", f"the browser said: {error.message.strip()[:200]}"
    write_frame(replies, {"problem": problem}, html)


def _leave_network() -> str:
    """Go where there is no network, also for all that this process starts; else why that cannot be."""
    unshare = getattr(ctypes.CDLL(None, use_errno=True), "unshare", None)
    if unshare is None:
        return "a browser without a network is to be had on Linux only"
    user, group = os.getuid(), os.getgid()
    if unshare(_NEW_NETWORK) == 0:
        return ""
    if unshare(_NEW_USER | _NEW_NETWORK) != 0:
        return f"this system lets no browser run without a network: {os.strerror(ctypes.get_errno())}"
    me = Path("/proc/self")
    (me / "setgroups").write_text("deny", encoding="ascii")
    (me / "uid_map").write_text(f"{user} {user} 1", encoding="ascii")
    (me / "gid_map").write_text(f"{group} {group} 1", encoding="ascii")
    return ""


def _rendered(executable: str, address: str, page: _Page, patience: float) -> bytes:
    """The page when it asks for nothing more, or after so many seconds."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=executable, chromium_sandbox=os.geteuid() != 0, args=_ARGUMENTS, timeout=0
        )  # fmt: skip
        context = browser.new_context(service_workers="block", accept_downloads=False)
        context.route("**/*", page.answer)
        context.route_web_socket("**/*", lambda socket: socket.close())
        shown = context.new_page()
        shown.on("dialog", lambda dialog: dialog.dismiss())
        context.on("page", lambda other: other.close())
        shown.goto(address, wait_until="load", timeout=0)  # the run keeps the time
        with suppress(TimeoutError):  # it asks without end: what it shows by now is taken
            shown.wait_for_load_state("networkidle", timeout=1000 * patience)
        html = shown.content().encode("utf-8", "replace")
        browser.close()
    return html


if __name__ == "__main__":
    main(sys.argv[1])
