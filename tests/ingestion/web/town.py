"""A site of an invented town on a real socket, and a corpus that follows it."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from clausegraph.core.models.embedding import Embedder, HashingEmbedder
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.views import open_view
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.fetch import WebLimits
from clausegraph.ingestion.pipeline import Options, Tools, ingest
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.sources.web import WebOptions, WebSource
from tests.harness.site import NAME, Site, local_site
from tests.law.world import new_ledger

CORPUS = "town"
FAST: dict[str, Any] = {
    "wait_s": 0.0, "interval_s": 0.0, "attempts": 1, "allow": ("127.0.0.1",), "names": {NAME: ("127.0.0.1",)},
}  # fmt: skip


def html(title: str, *paragraphs: str, links: tuple[str, ...] = (), head: str = "") -> str:
    """A page with a heading, a paragraph per text, and links in its navigation."""
    anchors = "".join(f'<a href="{link}">to {link}</a>' for link in links)
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    return (
        f"<!doctype html><html><head><title>{title}</title>{head}</head><body><nav>{anchors}</nav>"
        f"<main><h1>{title}</h1>{body}</main></body></html>"
    )


def fee(what: str, amount: int) -> str:
    """A page of its own words, as long as pages of policy are."""
    return (
        f"You must pay {amount} EUR for a {what} permit. A {what} permit is valid for {amount % 7 + 1} years. You can "
        f"apply for a {what} permit at the {what} office if you live in the town and are over {amount % 9 + 12}."
    )


class Town:
    """The site, the ledger and what runs have reported."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.options: dict[str, Any] = {"mode": "site"}
        self.limits: dict[str, Any] = {}
        self.embedder: Embedder = HashingEmbedder(16)
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        self.site: Site = self._stack.enter_context(local_site())
        self.ledger: Ledger = self._stack.enter_context(new_ledger(self.root / "home"))
        return self

    def __exit__(self, *error: Any) -> None:
        self._stack.close()

    def page(self, path: str, title: str, *paragraphs: str, links: tuple[str, ...] = (), head: str = "") -> None:
        self.site.page(path, html(title, *paragraphs, links=links, head=head))

    def pages(self, count: int) -> None:
        """A first page that leads to ``count`` others."""
        names = [f"/permits/{number}.html" for number in range(count)]
        self.page("/", "Permits of the town", fee("town", 11), links=tuple(names))
        for number, path in enumerate(names):
            self.page(path, f"Permit {number}", fee(f"kind{number}", 100 + number), links=("/",))

    def source(self, location: str = "", name: str = "town", **options: Any) -> WebSource:
        limits = WebLimits(**(FAST | self.limits))
        return WebSource(location or self.site.url("/"), name, WebOptions(**(self.options | options), limits=limits))

    def run(self, location: str = "", run: dict[str, Any] | None = None, **options: Any) -> RunReport:
        """Ingest; ``run`` are options of the run, the others of the source."""
        self.site.asked.clear()
        return ingest(self.tools(), CORPUS, self.source(location, **options), Options(**(run or {})))

    def tools(self, ledger: Ledger | None = None) -> Tools:
        return Tools(ledger or self.ledger, self.embedder, RuleExtractor())

    def state(self, ledger: Ledger | None = None) -> list[str]:
        """The published state, in lines that do not depend on the port."""
        with open_view(ledger or self.ledger, CORPUS) as view:
            return [line.replace(f":{self.site.port}", "") for line in dump_lines(view)]

    def uris(self) -> list[str]:
        """Paths of the pages that readers see."""
        with open_view(self.ledger, CORPUS) as view:
            return sorted(self.path(page.uri) for page in view.page_keys())

    def text(self, path: str) -> str:
        """The words of a page that readers see."""
        with open_view(self.ledger, CORPUS) as view:
            key = next(page for page in view.page_keys() if self.path(page.uri) == path)
            return " ".join(element.text for element in view.reading(key).elements)

    def path(self, uri: str) -> str:
        return uri.removeprefix(f"http://{NAME}:{self.site.port}")

    def paths(self, uris: Any) -> list[str]:
        return [self.path(uri) for uri in uris]
