"""Some pages as a view that is gone with the question: what a view of a corpus shows, without a ledger.

There is no graph and nothing is stored. Chunks are the pieces of ``core/pages/pieces.py`` but for lists of references;
their vectors are made only when they are asked for: ``text.py`` ranks by words first and embeds what is left.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from clausegraph.core.errors import NotFoundError
from clausegraph.core.models.embedding import Embedder, Vectors
from clausegraph.core.pages.decode import parse_page
from clausegraph.core.pages.pieces import CHARACTERS, is_apparatus, with_pieces
from clausegraph.core.pages.walk import page_blocks
from clausegraph.core.types import Fact, PageKey, PlacedPassage, Reading, Support
from clausegraph.indexes.graph.protocol import EntityHit, GraphCounts
from clausegraph.indexes.views import Name, VectorHit, View

SOURCE = "web"
CORPUS = "pages"


@dataclass(frozen=True, slots=True)
class CragPage:
    """A page as a search found it.

    Args:
        name: as the search calls it; "" means the page's own title.
        snippet: what the search shows of it, as text or HTML.
        modified: when it was last changed, as whoever delivers it says.
    """

    url: str
    reading: Reading
    name: str = ""
    snippet: str = ""
    modified: str = ""

    @property
    def snippet_text(self) -> str:
        """The snippet without markup, on one line."""
        root, _ = parse_page(self.snippet) if self.snippet.strip() else (None, None)
        return "" if root is None else " ".join(block.text for block in page_blocks(root) if block.text)


class EmptyGraph:
    """A ``Graph`` in which nothing is stated."""

    def entities(self, names: Sequence[str], limit: int = 20) -> list[EntityHit]:
        """None."""
        return []

    def named(self, names: Sequence[str], *, normalised: bool = False) -> dict[str, str]:
        """None."""
        return {}

    def names(self) -> dict[str, str]:
        """None."""
        return {}

    def neighbourhood(
        self, keys: Sequence[str], hops: int = 1, limit: int = 200, relations: Sequence[str] | None = None
    ) -> list[Fact]:
        """None."""
        return []

    def facts(self, ids: Sequence[str]) -> list[Fact]:
        """None."""
        return []

    def supports(self, fact_ids: Sequence[str]) -> list[Support]:
        """None."""
        return []

    def supports_on(self, page: PageKey, anchors: Sequence[str]) -> list[Support]:
        """None."""
        return []

    def relations(self) -> dict[str, int]:
        """None."""
        return {}

    def counts(self) -> GraphCounts:
        """Nothing."""
        return GraphCounts(0, 0, 0)

    def all_supports(self) -> list[Support]:
        """None."""
        return []


class PagesView(View):
    """A ``View`` of pages in memory, at epoch 0 of the corpus "pages"."""

    def __init__(
        self, pages: Sequence[CragPage], embedder: Embedder, *, characters: int = CHARACTERS, grouped: bool = True
    ) -> None:
        self.corpus, self.epoch, self.model = CORPUS, 0, embedder.fingerprint
        self.cache_dir = None
        self.graph = EmptyGraph()
        self._embedder = embedder
        self._shown: dict[PageKey, Reading] = {}
        self._made: dict[str, tuple[list[Name], Vectors]] = {}
        for page in pages:
            key = PageKey(SOURCE, page.url)
            if key not in self._shown:
                made = with_pieces(page.reading, characters=characters, name=page.name, grouped=grouped)
                telling = tuple(chunk for chunk in made.chunks if not is_apparatus(chunk.headings))
                self._shown[key] = replace(made, chunks=telling or made.chunks)

    def page_keys(self) -> tuple[PageKey, ...]:
        """The pages in the order given."""
        return tuple(self._shown)

    def reading(self, page: PageKey) -> Reading:
        """Elements, and pieces as chunks; errors as of ``View.reading``."""
        if page not in self._shown:
            raise NotFoundError(f"page {page} is none of the {len(self._shown)} pages that are read")
        return self._shown[page]

    def passages(self, page: PageKey) -> tuple[PlacedPassage, ...]:
        """None: nothing was extracted."""
        return ()

    def passages_on(self, page: PageKey, anchors: Collection[str]) -> list[PlacedPassage]:
        """None."""
        return []

    def hidden_on(self, page: PageKey) -> frozenset[str]:
        """Nothing: nobody curates them."""
        return frozenset()

    def search(self, kind: str, vector: Vectors, limit: int) -> list[VectorHit]:
        """As ``View.search``; there are chunks and elements, and no facts or passages."""
        names, matrix = self.vectors(kind)
        if not names:
            return []
        scores: Vectors = matrix @ vector
        hits = [VectorHit(kind, page, ref, float(s)) for (page, ref), s in zip(names, scores, strict=True)]
        return sorted(hits, key=lambda hit: (-hit.score, hit.page or PageKey("", ""), hit.ref))[:limit]

    def vectors(self, kind: str) -> tuple[list[Name], Vectors]:
        """As ``View.vectors``."""
        if kind not in self._made:
            texts = self._texts(kind)
            matrix = self._embedder.embed_texts(list(texts.values())) if texts else np.empty((0, 0), np.float32)
            self._made[kind] = (list(texts), matrix)
        return self._made[kind]

    def rest(self) -> None:
        """Nothing is held."""

    def wake(self) -> bool:
        """It is always there."""
        return True

    def close(self) -> None:
        """Nothing is open."""

    def _texts(self, kind: str) -> Mapping[Name, str]:
        if kind == "chunk":
            return {(key, one.key): one.text for key, reading in self._shown.items() for one in reading.chunks}
        if kind == "element":
            return {(key, one.anchor): one.text for key, reading in self._shown.items() for one in reading.elements}
        return {}
