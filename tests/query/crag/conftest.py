"""Invented pages about bridges."""

from collections.abc import Callable

import pytest

from clausegraph.core.pages.read import SourceDocument, read_document
from clausegraph.query.crag.text import CragPage

MakePage = Callable[..., CragPage]


@pytest.fixture(scope="session")
def make_page() -> MakePage:
    def make(name: str, body: str, snippet: str = "") -> CragPage:
        url = f"https://{name}.example/"
        html = f"<html><body><main><h1>{name}</h1>{body}</main></body></html>"
        return CragPage(url, read_document(SourceDocument(url, html.encode()))[0], name, snippet, "2024-02-01")

    return make


@pytest.fixture(scope="session")
def bridges(make_page: MakePage) -> list[CragPage]:
    """Three pages: Alder's text, Birch's table, Cedar with a snippet."""
    tolls = "<table><tr><th>Car</th><th>Lorry</th></tr><tr><td>4</td><td>9</td></tr></table>"
    return [
        make_page("Alder", "<p>The Alder bridge opened in 1931. It is 412 m long. It carries two lanes.</p>"),
        make_page("Birch", f"<h2>Tolls</h2>{tolls}"),
        make_page(
            "Cedar",
            "<p>Ships pass below the Cedar bridge at night. The Cedar bridge opened in 1950.</p>",
            "The Cedar bridge is closed to cars.",
        ),
    ]
