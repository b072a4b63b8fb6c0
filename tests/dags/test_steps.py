"""The steps without Airflow: one after the other, in many processes at once, killed and repeated."""

import itertools
import signal
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from sqlalchemy import update

from clausegraph.core.errors import InputError, LeaseHeldError, LeaseLostError, NotFoundError, SourceError
from clausegraph.core.extraction import Extraction, ExtractionInput
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.corpora import get_corpus, get_run, list_runs
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.ledger.leases import check_fence, run_lease, step_lease
from clausegraph.indexes.ledger.schema import run_leases
from clausegraph.indexes.ledger.store import Ledger, open_ledger
from clausegraph.indexes.views import open_view
from clausegraph.indexes.work import Claim, claim_batch, finish_batch, lost_claim
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.pipeline import Options, Tools, ingest
from clausegraph.ingestion.sources import Source, open_source
from clausegraph.ingestion.steps import (
    Pace,
    embed_run,
    extract_batch,
    extract_batches,
    plan_run,
    publish_run,
    report_run,
    run_steps,
)
from tests.dags.team import CORPUS, Team, comparable
from tests.harness.fake_llm import FakeModelServer
from tests.harness.wait import PATIENCE_S
from tests.harness.writes import killed_at

SAMPLE = Path(__file__).resolve().parents[2] / "examples" / "corpus"
SMALL = Pace(batch_chunks=7)


class Counting:
    """The rule extractor; it counts."""

    def __init__(self) -> None:
        self._inner = RuleExtractor()
        self.seen: list[str] = []
        self.fingerprint = self._inner.fingerprint

    def extract(self, chunk_input: ExtractionInput) -> Extraction:
        self.seen.append(chunk_input.key)
        return self._inner.extract(chunk_input)


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    with open_ledger(tmp_path / "home") as opened:
        yield opened


def tools_for(ledger: Ledger, extractor: Counting | None = None) -> Tools:
    return Tools(ledger, HashingEmbedder(16), extractor or Counting())


def dump(ledger: Ledger) -> list[str]:
    with open_view(ledger, CORPUS) as view:
        return dump_lines(view)


def test_steps_make_what_ingest_makes(tmp_path: Path) -> None:
    reports, dumps = [], []
    for number, run in enumerate((ingest, lambda *given: run_steps(*given, pace=SMALL))):
        folder = tmp_path / str(number)
        folder.mkdir()
        pages = folder / "pages"
        pages.mkdir()
        for path in sorted(SAMPLE.glob("*.html"))[:6]:
            (pages / path.name).write_bytes(path.read_bytes())
        made = []
        with open_ledger(folder / "home") as ledger:
            tools = tools_for(ledger)
            for options in (Options(limit=4), Options(), Options()):
                made.append(comparable(run(tools, CORPUS, open_source(str(pages)), options).as_dict()))
                if len(made) == 2:
                    min(pages.iterdir()).unlink()
            dumps.append(dump(ledger))
        reports.append(made)
    assert dumps[0] == dumps[1]
    assert [dict(report) for report in reports[0]] == reports[1]
    first, second, third = reports[1]
    assert (len(first["pages_added"]), first["pages_left"], second["pages_unchanged"]) == (4, 2, 4)
    assert len(third["pages_removed"]) == 1 and third["epoch"] == 3


def test_what_is_unchanged_publishes_nothing_and_a_dry_run_writes_nothing(ledger: Ledger) -> None:
    tools, source = tools_for(ledger), open_source(str(SAMPLE / "guides"))
    dry = run_steps(tools, CORPUS, source, Options(dry_run=True))
    assert dry.dry_run and len(dry.pages_added) == 3
    with pytest.raises(NotFoundError):
        get_corpus(ledger, CORPUS)
    assert run_steps(tools, CORPUS, source).epoch == 1
    assert run_steps(tools, CORPUS, source).epoch is None
    assert run_steps(tools, CORPUS, source, Options(force=True)).epoch is None  # read again, and found the same


def test_a_run_holds_its_corpus_between_its_steps(ledger: Ledger) -> None:
    tools, source = tools_for(ledger), open_source(str(SAMPLE / "guides"))
    plan_run(tools, CORPUS, source, "first", Options(), SMALL)
    with pytest.raises(LeaseHeldError, match=r"run first \(in steps"):
        plan_run(tools, CORPUS, source, "second", Options(), SMALL)
    with pytest.raises(LeaseHeldError, match="run first"):
        ingest(tools, CORPUS, source)
    extract_batches(tools, CORPUS, "first", SMALL)
    embed_run(tools, CORPUS, "first", SMALL)
    with pytest.raises(LeaseHeldError):
        ingest(tools, CORPUS, source)
    assert publish_run(tools, CORPUS, "first", Options(), SMALL) == 1
    assert "error" not in report_run(tools, CORPUS, source, "first")
    assert ingest(tools, CORPUS, source).epoch is None  # given back
    with pytest.raises(InputError, match="has ended"):
        embed_run(tools, CORPUS, "first")


def test_a_run_that_died_is_superseded_and_can_publish_nothing(ledger: Ledger) -> None:
    tools, source = tools_for(ledger), open_source(str(SAMPLE / "guides"))
    batches = plan_run(tools, CORPUS, source, "first", Options(), SMALL)
    _expire_leases(ledger)
    assert extract_batch(tools, CORPUS, "first", batches[0], SMALL) is not None  # nobody has come: it goes on
    _expire_leases(ledger)
    assert ingest(tools, CORPUS, source).epoch == 1
    for step in (
        lambda: extract_batch(tools, CORPUS, "first", batches[1]),
        lambda: embed_run(tools, CORPUS, "first"),
        lambda: publish_run(tools, CORPUS, "first"),
    ):
        with pytest.raises(LeaseLostError):
            step()
    assert "lost the lease" in report_run(tools, CORPUS, source, "first")["error"]
    assert get_corpus(ledger, CORPUS).newest == 1


def _expire_leases(ledger: Ledger) -> None:
    with ledger.write() as connection:
        connection.execute(update(run_leases).values(expires=0.0))


def test_an_attempt_taken_for_dead_cannot_publish_beside_its_successor(ledger: Ledger) -> None:
    tools, source = tools_for(ledger), open_source(str(SAMPLE / "guides"))
    plan_run(tools, CORPUS, source, "first")
    corpus = get_corpus(ledger, CORPUS).id
    with (
        step_lease(ledger, corpus, "first", alone=True) as early,
        step_lease(ledger, corpus, "first", alone=True) as late,
        ledger.read() as connection,
    ):
        check_fence(connection, late)
        with pytest.raises(LeaseLostError, match="a later attempt"):
            check_fence(connection, early)


def test_a_batch_is_claimed_once_and_again_after_expiry(ledger: Ledger) -> None:
    tools, source = tools_for(ledger), open_source(str(SAMPLE))
    batches = plan_run(tools, CORPUS, source, "run", Options(), Pace(batch_chunks=40))
    held = [claim_batch(ledger, "run") for _ in batches]
    claims = [one.__enter__() for one in held]
    assert sorted(claim.batch_id for claim in claims if claim) == sorted(batches)
    with claim_batch(ledger, "run") as none:
        assert none is None
    first = claims[0]
    assert isinstance(first, Claim)
    with claim_batch(ledger, "run", first.batch_id, seconds=0.1) as again:  # a scheduler's retry does not wait for ever
        assert again is not None and again.chunks == first.chunks
        with pytest.raises(LeaseLostError):
            finish_batch(ledger, first, {})
    assert "taken over" in str(lost_claim(first))
    for one in held:
        one.__exit__(None, None, None)
    with claim_batch(ledger, "run", seconds=0.0) as early, claim_batch(ledger, "run") as late:
        assert early is not None and late is not None and early.batch_id == late.batch_id
    with pytest.raises(NotFoundError, match="no batch"):
        extract_batch(tools, CORPUS, "run", 10_000)


@pytest.mark.parametrize("every", [4, pytest.param(1, marks=pytest.mark.long)])
def test_each_step_may_be_killed_and_repeated(tmp_path: Path, every: int) -> None:
    """Killed at its first write, repeated and killed at a later one, and so on until it has no more of them: the same
    dump and the same report as of a run that nothing befell."""
    source = open_source(str(SAMPLE / "guides"))
    wanted, lines = _undisturbed(tmp_path / "plain", source)
    kills = 0
    with open_ledger(tmp_path / "home") as ledger:
        for step in _steps(ledger, source):
            for write in itertools.count(1, every):
                with killed_at(write, tmp_path) as writes:
                    last = step()
                if not writes.stopped:
                    break
                kills += 1
        assert comparable(last) == wanted  # type: ignore[arg-type]
        assert dump(ledger) == lines
        assert comparable(_steps(ledger, source)[-1]()) == wanted  # type: ignore[arg-type]
    assert kills > 15 // every + 1


@pytest.mark.long
def test_a_run_killed_once_at_any_write_goes_on(tmp_path: Path) -> None:
    source = open_source(str(SAMPLE / "guides"))
    wanted, lines = _undisturbed(tmp_path / "plain", source)
    for write in itertools.count(1):
        made = 0
        with open_ledger(tmp_path / f"killed-{write}") as ledger:
            for step in _steps(ledger, source):
                with killed_at(write - made, tmp_path) as writes:
                    last = step()
                made += len(writes.seen)
                if writes.stopped:
                    last = step()
                    made = write  # killed once is enough
            assert comparable(last) == wanted, write  # type: ignore[arg-type]
            assert dump(ledger) == lines
        if made < write:
            break
    assert write > 20


def _undisturbed(home: Path, source: Source) -> tuple[dict[str, object], list[str]]:
    with open_ledger(home) as ledger:
        return comparable(ingest(tools_for(ledger), CORPUS, source).as_dict()), dump(ledger)


def _steps(ledger: Ledger, source: Source) -> list[Callable[[], object]]:
    tools = tools_for(ledger)
    return [
        lambda: plan_run(tools, CORPUS, source, "run", Options(), SMALL),
        lambda: extract_batches(tools, CORPUS, "run", SMALL),
        lambda: embed_run(tools, CORPUS, "run", SMALL),
        lambda: publish_run(tools, CORPUS, "run", Options(), SMALL),
        lambda: report_run(tools, CORPUS, source, "run", Options(), SMALL),
    ]


def test_a_failed_run_ends_as_failed_and_goes_on_when_its_step_is_repeated(ledger: Ledger) -> None:
    source = open_source(str(SAMPLE / "guides"))
    tools = tools_for(ledger)
    batches = plan_run(tools, CORPUS, source, "run", Options(), SMALL)
    with pytest.raises(LeaseHeldError, match="not extracted yet"):
        embed_run(tools, CORPUS, "run", SMALL)
    failed = report_run(tools, CORPUS, source, "run", Options(), SMALL)
    assert "not extracted yet" in failed["error"]
    corpus = get_corpus(ledger, CORPUS)
    assert get_run(ledger, corpus.id, "run")["status"] == "failed"
    with run_lease(ledger, corpus.id, "other"):
        pass  # the corpus was given back
    with pytest.raises(LeaseLostError):
        extract_batch(tools, CORPUS, "run", batches[0])  # and another run came in between
    plan_run(tools, CORPUS, source, "next", Options(), SMALL)
    report_run(tools, CORPUS, source, "next", Options(), SMALL)
    extract_batches(tools, CORPUS, "next", SMALL)
    embed_run(tools, CORPUS, "next", SMALL)
    assert publish_run(tools, CORPUS, "next", Options(), SMALL) == 1
    assert "error" not in report_run(tools, CORPUS, source, "next", Options(), SMALL)
    assert [run["status"] for run in list_runs(ledger, corpus.id, 5)] == ["done", "failed"]


def test_a_missing_source_changes_nothing(ledger: Ledger, tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    with pytest.raises(SourceError):
        run_steps(tools_for(ledger), CORPUS, open_source(str(empty)))
    with pytest.raises(NotFoundError):
        get_corpus(ledger, CORPUS)


# --- processes ------------------------------------------------------------------------------------


_AFTER_ITS_FIRST_CHUNKS = 5  # writes: it has joined the run, claimed a batch and stored what came first


@pytest.mark.integration
def test_a_killed_task_is_retried_with_the_same_batch(tmp_path: Path, fake: FakeModelServer) -> None:
    fake.set(latency=(0.3, 0.3))  # two by two, and what has come is stored every two seconds: not all at once
    team = Team(tmp_path, fake)
    team.write(5, sections=4)
    run = team.run("run", batch_chunks=100)
    (batch,) = team.step("plan", run)
    killed(team.start("extract", run, batch, dies_at=_AFTER_ITS_FIRST_CHUNKS))
    fake.set(latency=(0.0, 0.0))
    kept, asked = len(team.stored()), fake.counters()["ok"]
    again = team.step("extract", run, batch)
    chunks = len(team.stored())
    assert again["reused"] == kept and again["extracted"] == chunks - kept and again["failed"] == 0
    assert 0 < kept < chunks
    assert fake.counters()["ok"] - asked <= chunks - kept + 2  # and what was in flight when it died
    assert team.step("extract", run, batch) is None
    for step in ("embed", "publish"):
        team.step(step, run)
    assert team.step("report", run)["chunks_extracted"] == chunks
    assert team.dump() == team.plain_dump(tmp_path / "plain")


def killed(process: subprocess.Popen[str]) -> None:
    """Wait for the end of a process that kills itself."""
    _, error = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == -signal.SIGKILL, error
