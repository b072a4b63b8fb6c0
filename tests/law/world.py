"""A small world for the law: a folder of pages that changes, a corpus that follows, and a clean build."""

import functools
import shutil
import tempfile
from pathlib import Path

import numpy as np
from sqlalchemy import insert, select

from clausegraph.core.extraction import Extraction, ExtractionInput
from clausegraph.core.models.embedding import HashingEmbedder, Vectors
from clausegraph.indexes.corpora import CorpusRow, ensure_corpus, get_corpus, rollback
from clausegraph.indexes.derive import DEFINITIONS, statement_id
from clausegraph.indexes.dump import dump_lines, graph_lines
from clausegraph.indexes.entities.decisions import Decision, list_decisions, merge, undo
from clausegraph.indexes.graph.protocol import NO_PROJECTIONS
from clausegraph.indexes.hidden import HiddenStatement, hide, list_hidden, unhide
from clausegraph.indexes.ledger.schema import VECTOR_KINDS, decisions, hidden_statements
from clausegraph.indexes.ledger.store import Ledger, open_ledger
from clausegraph.indexes.lexical import CountedWords, Words, search_words
from clausegraph.indexes.postings import misplaced_words
from clausegraph.indexes.vacuum import VacuumReport
from clausegraph.indexes.views import GraphAt, View, open_view
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.pipeline import Options, Tools, apply_decisions, ingest
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.sources import open_source
from clausegraph.ingestion.tools import Gate

CORPUS = "law"


class CountingExtractor:
    """The rule extractor, counting what it is asked."""

    def __init__(self) -> None:
        self._inner = RuleExtractor()
        self.calls = 0

    @property
    def fingerprint(self) -> str:
        return self._inner.fingerprint

    def extract(self, chunk_input: ExtractionInput) -> Extraction:
        self.calls += 1
        return self._inner.extract(chunk_input)


def page_html(title: str, paragraphs: list[str]) -> str:
    """A page with a heading and one paragraph per statement."""
    body = "".join(f"<p>{text}</p>" for text in paragraphs)
    return f"<html><head><title>{title}</title></head><body><main><h1>{title}</h1>{body}</main></body></html>"


@functools.cache
def _empty_ledger() -> bytes:
    """A new ledger's file; to make each anew takes longer than what most tests do with it."""
    with tempfile.TemporaryDirectory() as folder:
        open_ledger(Path(folder)).close()
        return (Path(folder) / "ledger.db").read_bytes()


def new_ledger(home: Path) -> Ledger:
    """A ledger in which nothing is."""
    home.mkdir(mode=0o700)
    path = home / "ledger.db"
    path.write_bytes(_empty_ledger())
    path.chmod(0o600)
    return open_ledger(home)


def assert_words_counted(view: View) -> None:
    """Keyword search of the epoch knows the words of its pages, and of no other."""
    counted = CountedWords((page, view.reading(page)) for page in view.page_keys())
    assert (view.words.shown.chunks, view.words.shown.terms) == (counted.shown.chunks, counted.shown.terms)
    terms = {term for _, words in counted.pages for term in words.counts}
    assert _places(view.words, terms) == _places(counted, terms)


def _places(words: Words, terms: set[str]) -> set[tuple[str, str, float]]:
    found = {term: search_words(words, term, 10**6) for term in terms}
    return {(f"{hit.page} {hit.ref}", term, hit.score) for term, hits in found.items() for hit in hits}


def vector_values(view: View) -> dict[tuple[str, str, str], Vectors]:
    """Every visible vector by kind, page and ref, each of shape (dimension,)."""
    values: dict[tuple[str, str, str], Vectors] = {}
    for kind in VECTOR_KINDS:
        values |= {(kind, str(page), ref): row for (page, ref), row in zip(*view.vectors(kind), strict=True)}
    return values


class World:
    """Pages on disk, a ledger beside them, and what every published epoch was."""

    def __init__(self, dimension: int = 16, address: str = "") -> None:
        self.root = Path(tempfile.mkdtemp(prefix="law-"))
        self.folder = self.root / "pages"
        self.folder.mkdir()
        self.extractor = CountingExtractor()
        self.embedder = HashingEmbedder(dimension)
        home = self.root / "home"
        self.ledger = open_ledger(home, address) if address else new_ledger(home)
        self.projections = NO_PROJECTIONS
        self._built: tuple[tuple[object, ...], list[str], dict[tuple[str, str, str], Vectors]] | None = None
        self.gate: Gate | None = None
        self.graph_at: GraphAt | None = None  # of a projection, which must show what the ledger shows

    def write(self, name: str, paragraphs: list[str]) -> None:
        (self.folder / f"{name}.html").write_text(page_html(f"Page {name}", paragraphs), encoding="utf-8")

    def remove(self, name: str) -> None:
        (self.folder / f"{name}.html").unlink()

    def tools(self, ledger: Ledger | None = None) -> Tools:
        if ledger is not None:
            return Tools(ledger, self.embedder, self.extractor)
        return Tools(self.ledger, self.embedder, self.extractor, projections=self.projections, gate=self.gate)

    def ingest(self, options: Options | None = None) -> RunReport:
        return ingest(self.tools(), CORPUS, open_source(str(self.folder)), options or Options())

    def apply(self) -> RunReport:
        """Publish what was decided about names, without looking at the pages."""
        return apply_decisions(self.tools(), CORPUS)

    def merge(self, name: str, entity: str) -> Decision:
        return merge(self.ledger, self.row, name, entity, "tester")

    def undo(self, what: str | int) -> tuple[Decision, str]:
        return undo(self.ledger, self.row, str(what), "tester")

    def shown(self) -> list[str]:
        """The ids of the statements that readers get and that can be hidden."""
        with open_view(self.ledger, CORPUS) as view:
            return sorted(statement_id(one) for one in view.graph.all_supports() if one.extractor != DEFINITIONS)

    def hide(self, statement: str) -> tuple[HiddenStatement, bool]:
        return hide(self.ledger, self.row, statement, "wrong", "tester")

    def unhide(self, number: int) -> HiddenStatement:
        return unhide(self.ledger, self.row, number)

    def hidden(self) -> list[HiddenStatement]:
        return list_hidden(self.ledger, self.row.id)

    def decisions(self) -> list[Decision]:
        return list_decisions(self.ledger, self.row.id)

    def dump(self, epoch: int | None = None) -> list[str]:
        with open_view(self.ledger, CORPUS, epoch) as view:
            if self.graph_at is not None:
                projected = self.graph_at(self.ledger, self.row, view.epoch)
                assert graph_lines(projected) == graph_lines(view.graph)
            assert_words_counted(view)
            with self.ledger.read() as connection:
                assert misplaced_words(connection, self.row.id) == {}
            return dump_lines(view)

    def values(self) -> dict[tuple[str, str, str], Vectors]:
        with open_view(self.ledger, CORPUS) as view:
            return vector_values(view)

    def _state(self) -> tuple[object, ...]:
        """What a clean build depends on: the pages, and what was decided."""
        pages = [(path, path.read_bytes()) for path in sorted(self.folder.rglob("*.html"))]
        names = ((row.name, row.entity, row.state) for row in self.decisions())
        return (*pages, *names, *(row.place for row in self.hidden()))

    def clean_build(self) -> tuple[list[str], dict[tuple[str, str, str], Vectors]]:
        """Dump and vectors of a fresh ledger built from the pages as they are now and the same decisions."""
        with new_ledger(self.root / "clean") as ledger:
            self._copy_decisions(ledger)
            ingest(self.tools(ledger), CORPUS, open_source(str(self.folder)), Options())
            with open_view(ledger, CORPUS) as view:
                built = dump_lines(view), vector_values(view)
        shutil.rmtree(self.root / "clean")
        return built

    def _copy_decisions(self, ledger: Ledger) -> None:
        corpus = ensure_corpus(ledger, CORPUS, {})
        for table in (decisions, hidden_statements):
            with self.ledger.read() as connection:
                rows = [dict(row._mapping) for row in connection.execute(select(table))]
            with ledger.write() as connection:
                if rows:
                    connection.execute(insert(table), [row | {"corpus_id": corpus.id} for row in rows])

    def assert_lawful(self) -> None:
        """The published epoch equals a clean build of the pages under the same decisions."""
        state = self._state()
        if self._built is None or self._built[0] != state:
            self._built = state, *self.clean_build()
        _, lines, values = self._built
        assert self.dump() == lines
        mine = self.values()
        assert mine.keys() == values.keys()
        for key, vector in values.items():
            np.testing.assert_allclose(mine[key], vector, atol=1e-5)

    @property
    def row(self) -> CorpusRow:
        return get_corpus(self.ledger, CORPUS)

    def newest(self) -> int:
        return self.row.newest

    def vacuum(self, keep_epochs: int, keep_days: float) -> VacuumReport:
        from clausegraph.indexes.ledger.leases import run_lease
        from clausegraph.indexes.vacuum import vacuum

        corpus = self.row
        with run_lease(self.ledger, corpus.id, "vacuum") as lease:
            report = vacuum(self.ledger, corpus, lease, keep_epochs, keep_days)
            self.projections.vacuumed(corpus.id)
        return report

    def roll_back(self, number: int) -> None:
        corpus = self.row
        rollback(self.ledger, corpus, number)
        self.projections.published(corpus.id)

    def close(self) -> None:
        self.ledger.close()
        shutil.rmtree(self.root)
