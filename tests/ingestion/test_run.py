"""One life of a run: what it does and reports is the same in one process and in steps, and for decisions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from clausegraph.core.errors import InputError, ModelMismatchError, ModelUnavailable
from clausegraph.core.extraction import Extracted, Extraction, ExtractionInput, PageInputs
from clausegraph.core.models.embedding import HashingEmbedder, Vectors
from clausegraph.indexes.corpora import ensure_corpus, get_corpus, get_run, list_runs
from clausegraph.indexes.entities.decisions import merge
from clausegraph.indexes.ledger.store import Ledger, open_ledger
from clausegraph.indexes.truth import store_extractions
from clausegraph.indexes.work import planned_pages, store_work
from clausegraph.ingestion import steps
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.extracting import chunk_work
from clausegraph.ingestion.pipeline import Options, Tools, apply_decisions, ingest
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.run import Part, running
from clausegraph.ingestion.sources import open_source
from clausegraph.ingestion.steps import Pace, run_steps

CORPUS = "runs"
HEADINGS = ("Eligibility", "Payment", "Contact")
SMALL = Pace(batch_chunks=2)
GRANT = "You can get the Rent Grant if you are over 65 and live in Lethmoor."


class PagedExtractor:
    """The rule extractor, page by page; ``down`` stands for a server that does not answer."""

    def __init__(self) -> None:
        self._rules = RuleExtractor()
        self.fingerprint = self._rules.fingerprint
        self.down = False

    def extract(self, chunk_input: ExtractionInput) -> Extraction:
        return self._rules.extract(chunk_input)

    def extract_pages(self, pages: Iterable[PageInputs]) -> Iterator[Extracted]:
        for chunk_input in (one for page in pages for one in page.inputs):
            made = None if self.down else self._rules.extract(chunk_input)
            yield Extracted(chunk_input.key, made, "no answer" if self.down else "")


class LimitedEmbedder(HashingEmbedder):
    """Embeds while a meter is started, as an embedder behind a budget does."""

    def __init__(self, meter: Metering) -> None:
        super().__init__(16)
        self._meter = meter

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        self._meter.texts += len(texts)
        if not self._meter.runs:
            raise ModelUnavailable("nobody counts these texts")
        return super().embed_texts(texts)


class Metering:
    """A meter that counts texts."""

    def __init__(self) -> None:
        self.runs: list[str] = []
        self.texts = 0

    def start(self, corpus_id: int, run_id: str) -> None:
        self.runs.append(run_id)
        self.texts = 0

    def stop(self) -> dict[str, dict[str, float]]:
        self.runs.pop()
        return {"embed": {"calls": float(self.texts)}}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "pages"
    made.mkdir()
    for name, where in (("a", "North"), ("b", "South"), ("c", "West")):
        write(made, name, [GRANT, f"The Rent Office {where} must pay the Rent Grant."])
    return made


def write(folder: Path, name: str, paragraphs: list[str]) -> None:
    body = "".join(f"<h2>{HEADINGS[number]}</h2><p>{text}</p>" for number, text in enumerate(paragraphs))
    html = f"<html><head><title>{name}</title></head><body><main><h1>{name}</h1>{body}</main></body></html>"
    (folder / f"{name}.html").write_text(html, encoding="utf-8")


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "home") as opened:
        yield opened


def tools_for(ledger: Ledger, extractor: PagedExtractor | None = None) -> Tools:
    return Tools(ledger, HashingEmbedder(16), extractor or PagedExtractor())


def status_of(ledger: Ledger, report: RunReport) -> object:
    return get_run(ledger, get_corpus(ledger, CORPUS).id, report.run_id)["status"]


def test_a_batch_that_is_repeated_reports_the_same(ledger: Ledger, folder: Path) -> None:
    """Its extractions are stored already, by a worker that died: who repeats it made none of them."""
    source, tools = open_source(str(folder)), tools_for(ledger)
    steps.plan_run(tools, CORPUS, source, "run")
    corpus, extractor = get_corpus(ledger, CORPUS), tools.extractor
    work = chunk_work(ledger, corpus.id, planned_pages(ledger, "run"), extractor.fingerprint)
    inputs = [one for page in work.inputs(work.missing) for one in page.inputs]
    made = {one.key: extractor.extract(one) for one in inputs}
    store_extractions(ledger, corpus.id, extractor.fingerprint, made)
    steps.extract_batches(tools, CORPUS, "run")
    steps.embed_run(tools, CORPUS, "run")
    steps.publish_run(tools, CORPUS, "run")
    report = steps.report_run(tools, CORPUS, source, "run")
    assert report["chunks_extracted"] == len(made)


def test_applying_decisions_embeds_nothing(ledger: Ledger, folder: Path) -> None:
    meter = Metering()
    tools = replace(tools_for(ledger), embedder=LimitedEmbedder(meter), meter=meter)
    assert ingest(tools, CORPUS, open_source(str(folder))).usage["embed"]["calls"] > 0
    merge(ledger, get_corpus(ledger, CORPUS), "rent grant", "rent office south", "tester")
    report = apply_decisions(tools, CORPUS)
    assert report.epoch == 2 and report.usage["embed"]["calls"] == report.texts_embedded == 0
    assert status_of(ledger, report) == "done"


@pytest.mark.parametrize("run", [ingest, lambda *given: run_steps(*given, pace=SMALL)])
def test_a_run_whose_model_server_is_down_has_failed(
    ledger: Ledger, folder: Path, run: Callable[..., RunReport]
) -> None:
    extractor = PagedExtractor()
    extractor.down = True
    tools, source = tools_for(ledger, extractor), open_source(str(folder))
    report = run(tools, CORPUS, source)
    assert report.epoch is None and get_corpus(ledger, CORPUS).newest == 0  # no empty epoch either
    assert "no answer" in report.error and status_of(ledger, report) == "failed"
    extractor.down = False
    again = run(tools, CORPUS, source)
    assert again.epoch == 1 and not again.error and status_of(ledger, again) == "done"
    write(folder, "a", ["Contact the office."])
    (folder / "b.html").unlink()
    extractor.down = True
    rest = run(tools, CORPUS, source)
    assert (rest.epoch, rest.pages_removed, rest.pages_failed) == (2, ["b.html"], ["a.html"])
    assert rest.error and status_of(ledger, rest) == "failed"


def test_a_run_says_why(ledger: Ledger, folder: Path) -> None:
    tools, source = tools_for(ledger), open_source(str(folder))
    first = ingest(tools, CORPUS, source)
    assert set(first.pages_why.values()) == {"new"} and not first.chunks_why
    was = (folder / "a.html").read_text()
    write(folder, "a", [GRANT, "Contact the office."])
    (folder / "b.html").unlink()
    second = ingest(tools, CORPUS, source)
    assert second.pages_why == {"a.html": "its bytes changed", "b.html": "gone from the source"}
    assert {reason: len(keys) for reason, keys in second.chunks_why["a.html"].items()} == {"new or changed text": 1}
    (folder / "a.html").write_text(was)
    write(folder, "b", [GRANT])
    third = ingest(tools, CORPUS, source, Options(force=True))
    assert third.pages_why == {
        "a.html": "its bytes are again those of an earlier version",
        "b.html": "moved back: the corpus had it before",
        "c.html": "forced (--force)",
    }
    changed = PagedExtractor()
    changed.fingerprint = "another"
    fourth = ingest(tools_for(ledger, changed), CORPUS, source)
    assert all(why.startswith("other extractor (was rules:") for why in fourth.pages_why.values())
    assert {reason for by in fourth.chunks_why.values() for reason in by} == {"other extractor"}


def test_a_dry_run_is_what_the_run_then_does(ledger: Ledger, folder: Path) -> None:
    tools, source = tools_for(ledger), open_source(str(folder))
    ingest(tools, CORPUS, source)
    write(folder, "a", ["Contact the office."])
    (folder / "b.html").unlink()
    write(folder, "d", [GRANT])
    dry = ingest(tools, CORPUS, source, Options(dry_run=True, limit=1))
    assert dry.pages_why == {
        "a.html": "its bytes changed", "b.html": "gone from the source", "d.html": "beyond the limit of this run",
    }  # fmt: skip
    assert len(list_runs(ledger, get_corpus(ledger, CORPUS).id, 5)) == 1
    done = ingest(tools, CORPUS, source, Options(limit=1))
    for name in ("pages_added", "pages_changed", "pages_removed", "pages_kept", "pages_unchanged", "pages_left"):
        assert getattr(done, name) == getattr(dry, name)


def test_a_run_planned_by_another_version_says_so(ledger: Ledger, folder: Path) -> None:
    tools, source = tools_for(ledger), open_source(str(folder))
    corpus = ensure_corpus(ledger, CORPUS, {})
    with running(tools, corpus, "old", source.name, part=Part("plan", ends=False)) as run:
        (batch,) = store_work(ledger, run.lease, {}, [[("a.html", ["key"])]], {"report": {}, "extractor": "rules"})
    with pytest.raises(InputError, match="start a new run"):
        steps.extract_batch(tools, CORPUS, "old", batch)
    assert "start a new run" in steps.report_run(tools, CORPUS, source, "old")["error"]
    assert ingest(tools, CORPUS, source).epoch == 1  # the corpus was given back


class BrokenExtractor(PagedExtractor):
    """The rule extractor with a defect: it raises what nobody expects, at the second page."""

    def extract_pages(self, pages: Iterable[PageInputs]) -> Iterator[Extracted]:
        first, *_ = pages
        yield from super().extract_pages([first])
        raise ZeroDivisionError("nobody expects this")


def test_a_defect_leaves_no_run_running(ledger: Ledger, folder: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        ingest(tools_for(ledger, BrokenExtractor()), CORPUS, open_source(str(folder)))
    (row,) = list_runs(ledger, get_corpus(ledger, CORPUS).id, 5)
    report = row["report"]
    assert row["status"] == "failed" and isinstance(report, dict)
    assert report["error"] == "ZeroDivisionError: nobody expects this"
    assert report["chunks_extracted"] > 0, "what was done is kept"


def test_vectors_of_another_dimension_are_published_with_no_others(ledger: Ledger, folder: Path) -> None:
    """A server that runs another model under the same name; the epoch would have answered no question."""

    class Other(HashingEmbedder):
        fingerprint = HashingEmbedder(16).fingerprint

    ingest(tools_for(ledger), CORPUS, open_source(str(folder)))
    write(folder, "d", [GRANT.replace("grant", "pension")])
    with pytest.raises(ModelMismatchError, match=r"vectors of 24 numbers.*of 16"):
        ingest(replace(tools_for(ledger), embedder=Other(24)), CORPUS, open_source(str(folder)))
    assert get_corpus(ledger, CORPUS).newest == 1
    assert ingest(tools_for(ledger), CORPUS, open_source(str(folder))).pages_added == ["d.html"]
