"""Pages to references: words first, then meaning, a batch of pages at a time."""

from __future__ import annotations

import math
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.pages.decode import parse_page
from clausegraph.core.pages.pieces import is_apparatus, with_pieces
from clausegraph.core.pages.walk import page_blocks
from clausegraph.core.types import Chunk, Evidence, PageKey, Reading, Span
from clausegraph.indexes.lexical import CountedWords, search_words
from clausegraph.indexes.views import View
from clausegraph.query.crag.types import CragQuestion, Reference, ReferenceKind, Snippets
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.retrieve.bank import Hit, Retriever

SOURCE = "web"
CORPUS = "pages"
CANDIDATES = 64  # pieces of the first batch that are embedded: what takes three seconds on one core
_LATER = 32  # of each later one: at most thirty are shown
_AT_ONCE = 16  # pieces that are embedded between two looks at the clock
_WORDS = 0.3  # weight of the words that are shared, beside the similarity; chosen, not fitted
_EVERY = 1_000_000  # hits: one of each page is wanted
_MOST_EVIDENCE = 20  # sentences or rows of a piece that may be cited


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


class PagesView:
    """The pages of a question with their words counted: gone with the question, without a ledger.

    Chunks are the pieces of ``core/pages/pieces.py`` but for lists of references, where there is anything else.
    """

    def __init__(self, pages: Sequence[CragPage], *, grouped: bool) -> None:
        self._shown: dict[PageKey, Reading] = {}
        for page in pages:
            made = with_pieces(page.reading, name=page.name, grouped=grouped)
            telling = tuple(chunk for chunk in made.chunks if not is_apparatus(chunk.headings))
            self._shown[PageKey(SOURCE, page.url)] = replace(made, chunks=telling or made.chunks)
        self.words = CountedWords(self._shown.items())

    def page_keys(self) -> tuple[PageKey, ...]:
        """The pages in the order given."""
        return tuple(self._shown)

    def reading(self, page: PageKey) -> Reading:
        """Elements, and pieces as chunks."""
        return self._shown[page]


class PagesText:
    """``TextLookup`` over the pages of a question.

    Where they are more than one batch, the page with the best piece comes first, by words over all of them; those
    that share none stay in the order given, behind.

    Args:
        batch: pages that are added at a time.
        tables: whether pieces of tables are shown.
        snippets: "beside" the pieces, "only" these, or "off".
        grouped: sentences together; else each is a piece.
    """

    def __init__(
        self,
        pages: Sequence[CragPage],
        embedder: Embedder,
        *,
        batch: int = 5,
        tables: bool = True,
        snippets: Snippets = "beside",
        grouped: bool = True,
    ) -> None:
        self._embedder, self._tables, self._snippets, self._grouped = embedder, tables, snippets, grouped
        self._pages = tuple({page.url: page for page in pages}.values())
        self._batch = batch
        self._ordered: tuple[CragPage, ...] | None = None  # by the first question: later words look at the same batches
        self._views: dict[int, PagesView] = {}
        self._ranked: dict[tuple[str, int], list[Reference]] = {}  # by question and batch: later rounds ask again

    @property
    def batches(self) -> int:
        return max(1, math.ceil(len(self._pages) / self._batch))

    def find(self, question: CragQuestion, batch: int, limit: int, until: float = math.inf) -> tuple[Reference, ...]:
        """Pieces and snippets of the batches up to this one that are nearest to the question, best first.

        After ``until`` nothing more is embedded: the rest is ranked by its words.
        """
        if self._ordered is None:
            self._ordered = self._in_order(question.text) if self.batches > 1 else self._pages
        found: list[Reference] = []
        for number in range(min(batch, self.batches - 1) + 1):
            key = (question.text, number)
            if key not in self._ranked:
                self._ranked[key] = self._near(question, self._ordered, number, until)
            found += self._ranked[key]
        return _best(found, limit)

    def _in_order(self, words: str) -> tuple[CragPage, ...]:
        best: dict[str, float] = {}
        for hit in search_words(PagesView(self._pages, grouped=self._grouped).words, words, _EVERY):
            best.setdefault(hit.page.uri, hit.score)
        return tuple(sorted(self._pages, key=lambda page: -best.get(page.url, 0.0)))

    def _near(self, question: CragQuestion, ordered: Sequence[CragPage], batch: int, until: float) -> list[Reference]:
        pages = {page.url: page for page in ordered[batch * self._batch : (batch + 1) * self._batch]}
        if batch not in self._views:
            self._views[batch] = PagesView(tuple(pages.values()), grouped=self._grouped)
        view, most = self._views[batch], _LATER if batch else CANDIDATES
        hits = search_words(view.words, question.text, most) if self._snippets != "only" else []
        chunks = {(key, chunk.key): chunk for key in view.page_keys() for chunk in view.reading(key).chunks}
        found = []
        for hit in hits:
            reference = _of_chunk(view.reading(hit.page), hit.page, chunks[hit.page, hit.ref], pages[hit.page.uri])
            if self._tables or reference.kind is not ReferenceKind.TABLE:
                found.append((reference, hit.score, chunks[hit.page, hit.ref].text))
        if self._snippets != "off":
            found += [(one, 0.0, one.text) for one in map(_of_snippet, pages.values()) if one.text]
        if not found:
            return []
        top = max(score for _, score, _ in found) or 1.0
        near = self._alike(question.text, [text for _, _, text in found], until)
        return [
            replace(reference, score=round((alike + _WORDS * score / top) / (1 + _WORDS), 6))
            for (reference, score, _), alike in zip(found, near, strict=True)
        ]

    def _alike(self, words: str, texts: Sequence[str], until: float) -> list[float]:
        """How alike each text is to the question; 0 for those that there was no time for, which are the last."""
        near: list[float] = []
        if time.monotonic() < until:
            vector = self._embedder.embed_query(words)
            at_once = len(texts) if until == math.inf else _AT_ONCE
            while len(near) < len(texts) and (not near or time.monotonic() < until):
                some = texts[len(near) : len(near) + at_once]
                near += (self._embedder.embed_texts(some) @ vector).tolist()
        return near + [0.0] * (len(texts) - len(near))


class CorpusText:
    """``TextLookup`` over a corpus; a batch adds as many hits again."""

    batches = 4

    def __init__(self, view: View, retriever: Retriever) -> None:
        self._view, self._retriever = view, retriever

    def find(self, question: CragQuestion, batch: int, limit: int, until: float = math.inf) -> tuple[Reference, ...]:
        """What the retriever of the bank finds; it embeds the question alone."""
        hits = self._retriever.retrieve(Inquiry(question.text), limit=limit * (batch + 1))
        return tuple(self._reference(hit) for hit in hits)

    def _reference(self, hit: Hit) -> Reference:
        reading = self._view.reading(hit.page)
        elements = [element for element in reading.elements if element.anchor in hit.anchors]
        spans = [Span(element.anchor, 0, len(element.text)) for element in elements]
        is_table = bool(elements) and all(element.tag == "tr" for element in elements)
        return Reference(
            kind=ReferenceKind.TABLE if is_table else ReferenceKind.WEB,
            text=hit.text,
            source=_called(reading.title, hit.headings),
            evidence=_evidence(reading, hit.page, spans),
            modified=reading.updated or "",
            score=hit.score,
        )


def _best(found: Iterable[Reference], limit: int) -> tuple[Reference, ...]:
    """The best, each text once: pages of one search repeat each other."""
    unique: dict[str, Reference] = {}
    for one in sorted(found, key=lambda one: -one.score):
        unique.setdefault(" ".join(one.text.lower().split()), one)
    return tuple(unique.values())[:limit]


def _of_chunk(reading: Reading, page: PageKey, chunk: Chunk, found: CragPage) -> Reference:
    by_anchor = {element.anchor: element for element in reading.elements}
    is_table = by_anchor[chunk.parts[0].anchor].tag == "tr" and "\n|" in chunk.text
    above = [name for name in chunk.headings if name != reading.title]
    lines = chunk.text.split("\n")
    body = "\n".join(lines[len(above) :] if is_table else lines[1 + len(above) :])
    return Reference(
        kind=ReferenceKind.TABLE if is_table else ReferenceKind.WEB,
        text=body,
        source=_called(reading.title, chunk.headings),
        evidence=_evidence(reading, page, chunk.parts),
        modified=" ".join(found.modified.split()) or reading.updated or "",
    )


def _of_snippet(page: CragPage) -> Reference:
    text = page.snippet_text
    title = page.name or page.reading.title
    evidence = Evidence(PageKey("web", page.url), title, (), Span("", 0, len(text)), text, "", url=page.url)
    return Reference(
        ReferenceKind.WEB, text, f"{title} (as the search shows it)", (evidence,), " ".join(page.modified.split())
    )


def _evidence(reading: Reading, page: PageKey, parts: Sequence[Span]) -> tuple[Evidence, ...]:
    by_anchor = {element.anchor: element for element in reading.elements}
    return tuple(
        evidence_of(page, reading, by_anchor[part.anchor], part.start, part.end) for part in parts[:_MOST_EVIDENCE]
    )


def _called(title: str, headings: Sequence[str]) -> str:
    return " > ".join(dict.fromkeys((title, *headings)))
