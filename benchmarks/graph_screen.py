"""``python -m benchmarks.graph_screen [--nodes N]``: the console's graph of one entity with thousands of neighbours.

Prints seconds until the screen is there and drawn, and the time of a frame while it is dragged and zoomed, in Debian's
Chromium without a graphics card. Needs the development extra (Playwright) and ``chromium``.
"""

from __future__ import annotations

import argparse
import shutil
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from playwright.sync_api import Page, sync_playwright

from benchmarks.show import Check, machine, percentile, print_checks, print_table
from clausegraph.app.access.roles import Role
from clausegraph.app.access.tokens import Tokens
from clausegraph.app.api.application import create_app
from clausegraph.app.console.face import face
from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import Settings
from clausegraph.ingestion.pipeline import Options
from clausegraph.ingestion.sources import open_source

_ON_A_PAGE = 100
_WATCH = """() => {
  const times = window.framesOfGraph = []; let last = performance.now();
  const next = (now) => { times.push(now - last); last = now; requestAnimationFrame(next); };
  requestAnimationFrame(next);
}"""
_AFTER = 500  # milliseconds after the last turn of the wheel, in which the whole is drawn again


def main() -> None:
    """Make the corpus, serve it, open the screen, and print what it costs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.graph_screen", description=__doc__)
    parser.add_argument("--nodes", type=int, default=5000, help="entities around one")
    nodes = parser.parse_args().nodes
    with tempfile.TemporaryDirectory(prefix="clausegraph-bench-") as folder, _served(Path(folder), nodes) as served:
        url, token = served
        with (
            sync_playwright() as playwright,
            playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"]) as browser,
        ):
            page = browser.new_page(viewport={"width": 1280, "height": 900})
            page.goto(f"{url}/login")
            page.fill("#token", token)
            page.click("main button")
            page.wait_for_url("**/ask")
            for draw in ("", "all"):
                _measure(page, f"{url}/c/default/graph?name=harbour+office&draw={draw}")


def _measure(page: Page, address: str) -> None:
    begun = time.perf_counter()
    page.goto(address)
    loaded = time.perf_counter() - begun
    page.wait_for_selector("#canvas[data-drawn]", timeout=120_000)
    seconds = time.perf_counter() - begun
    drawn = page.locator("#canvas").get_attribute("data-drawn")
    box = page.locator("#canvas").bounding_box()
    assert box is not None
    page.evaluate(_WATCH)
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y + 40)
    page.mouse.down()
    for step in range(40):
        page.mouse.move(x + 4 * step, y + 40 - 2 * step)
    page.mouse.up()
    for step in range(20):
        page.mouse.wheel(0, 120 if step < 10 else -120)
    page.wait_for_timeout(_AFTER)
    times = page.evaluate("() => window.framesOfGraph")
    paint = page.evaluate("() => performance.getEntriesByName('first-contentful-paint')[0].startTime")
    rows = [
        ("nodes and edges drawn", str(drawn)),
        ("first paint, ms", round(paint)),
        ("loaded, s", round(loaded, 2)),
        ("drawn, s", round(seconds, 2)),
        ("frames, and seconds they took", f"{len(times)} {sum(times) / 1000:.1f}"),
        (
            "frame, median and p95, longest, ms",
            f"{percentile(times, 0.5):.0f} {percentile(times, 0.95):.0f} {max(times):.0f}",
        ),
        ("load of the machine", str(machine()["load"])),
    ]
    print_table(address.partition("?")[2], rows)
    print_checks([Check("p95 of a frame", percentile(times, 0.95), 100.0, "ms", decides=False)])


@contextmanager
def _served(folder: Path, nodes: int) -> Iterator[tuple[str, str]]:
    """A server of a corpus in which one office pays so many grants; its address, and a reader's token."""
    pages = folder / "pages"
    pages.mkdir()
    for first in range(0, nodes, _ON_A_PAGE):
        numbers = range(first, min(first + _ON_A_PAGE, nodes))
        said = "".join(f"<p>The Harbour Office pays the Ferry {number} Grant.</p>" for number in numbers)
        (pages / f"{first:06}.html").write_text(f"<title>Ferries {first}</title><main>{said}</main>", "utf-8")
    settings = Settings(home=folder / "home", embedding_model="hashing", extractor="rules")
    with Workspace(settings) as workspace:
        run_ingest(workspace, "default", open_source(str(pages)), Options())
    _, token = Tokens(settings.home).add("bench", Role.READER)
    config = uvicorn.Config(create_app(Workspace(settings), [face()]), port=0, log_config=None, ws="none")
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        while not server.started:
            time.sleep(0.05)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}", token
    finally:
        server.should_exit = True
        thread.join()


if __name__ == "__main__":
    main()
