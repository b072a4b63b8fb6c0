"""What a dry run says that a run will need, and what that run then uses of the fake server."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from clausegraph.app.cli.ingest import report_lines
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.settings import Settings
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.forecast import REPLY, extraction_usage
from clausegraph.ingestion.pipeline import Options, Tools, ingest
from clausegraph.ingestion.report import Forecast, RunReport
from clausegraph.ingestion.sources import open_source
from tests.harness.fake_llm import FakeModelServer
from tests.harness.home import run

pytestmark = pytest.mark.integration
SAMPLE = Path(__file__).resolve().parents[3] / "examples" / "corpus"


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """Nine pages of the sample corpus."""
    made = tmp_path / "pages"
    made.mkdir()
    for path in sorted(SAMPLE.glob("*.html"))[:9]:
        shutil.copy(path, made)
    return made


def settings_for(tmp_path: Path, fake: FakeModelServer, **more: Any) -> Settings:
    asked = {"llm": "mistral:fake-small", "llm_url": fake.url, "llm_key": "key"}
    return Settings(home=tmp_path / "home", embedding_model="hashing", **(asked | more))


def forecast_of(report: RunReport) -> Forecast:
    assert report.forecast is not None
    return report.forecast


def words(report: RunReport) -> str:
    return "\n".join(line for line in report_lines(report) if isinstance(line, str))


def edit(pages: Path) -> None:
    """Change amounts and sentences of four pages, add one page, remove one."""
    *changed, gone = sorted(pages.iterdir())[:5]
    for path in changed:
        text = path.read_text("utf-8")
        path.write_text(text.replace("£1", "£2", 2).replace("You can", "Anybody can", 1), "utf-8")
    gone.unlink()
    shutil.copy(SAMPLE / "work-permit.html", pages)


def test_the_second_run_uses_what_its_dry_run_said(tmp_path: Path, fake: FakeModelServer, pages: Path) -> None:
    settings = settings_for(tmp_path, fake, llm_prices={"fake-small": (0.1, 0.3)})
    run(settings, pages)
    edit(pages)
    sent = fake.counters()["requests"]
    dry = run(settings, pages, dry_run=True)
    assert fake.counters()["requests"] == sent
    told, done = forecast_of(dry), run(settings, pages)
    assert forecast_of(done) == told and told.runs == 1 and told.minutes
    used = extraction_usage(done)
    assert told.calls == used["calls"] == fake.counters()["requests"] - sent >= 5
    assert (told.pages, told.chunks, told.chunks_reused) == (5, done.chunks_extracted, done.chunks_reused)
    found = (used["prompt_tokens"], used["output_tokens"], used["money"], done.texts_embedded)
    assert found == pytest.approx((told.prompt_tokens, told.reply_tokens, told.money, told.texts), rel=0.2)
    expected, spent = told.prompt_tokens + told.reply_tokens, used["prompt_tokens"] + used["output_tokens"]
    assert f"forecast: {told.calls} calls, {expected:,} tokens; used {told.calls}, {spent:,.0f} (" in words(done)
    assert f"  model: {told.calls} calls, {told.prompt_tokens:,} prompt and" in words(dry)


def test_a_first_forecast_says_what_it_assumes(tmp_path: Path, fake: FakeModelServer, pages: Path) -> None:
    settings = settings_for(tmp_path, fake, call_tokens=500)
    dry = run(settings, pages, dry_run=True)
    told, text = forecast_of(dry), words(dry)
    assert told.reply_tokens == round(told.counted[1] * REPLY) and told.prompt_tokens == told.counted[0]
    assert (told.money, told.minutes, told.runs) == (None, None, 0)
    assert "no earlier run to go by" in text and "1.5 times as long" in text and "no price in llm_prices" in text
    assert fake.counters()["requests"] == 0
    done = run(settings, pages)
    assert told.calls == done.usage["rules"]["calls"] > 9 and told.chunks == done.chunks_extracted


def test_another_embedding_model_embeds_the_whole_corpus(tmp_path: Path, pages: Path) -> None:
    with open_ledger(tmp_path / "home") as ledger:
        source, other = open_source(str(pages)), Tools(ledger, HashingEmbedder(32), RuleExtractor())
        ingest(Tools(ledger, HashingEmbedder(16), RuleExtractor()), "c", source)
        told = forecast_of(dry := ingest(other, "c", source, Options(dry_run=True)))
        assert f"{told.texts} texts to embed" in words(dry)
        assert told.texts == ingest(other, "c", source).texts_embedded > 0 == told.chunks


def test_a_dry_run_says_that_the_run_would_be_held(tmp_path: Path, pages: Path) -> None:
    settings = Settings(home=tmp_path / "home", embedding_model="hashing")
    run(settings, pages)
    for path in pages.iterdir():
        path.write_text("<title>Log in</title><main><p>Log in with your password to go on.</p></main>", "utf-8")
    dry, done = run(settings, pages, dry_run=True), run(settings, pages)
    assert dry.held == done.held != []
    assert "would be held in quarantine:" in words(dry) and "would be held in quarantine:" not in words(done)
