"""Whole runs through the model stack against the fake server: what is kept, what is paid, what is said."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from clausegraph.core.errors import BudgetExceeded, ModelRefused
from clausegraph.core.settings import Settings
from clausegraph.core.types import leaves
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import open_view
from tests.harness.cli import made_app
from tests.harness.fake_llm import FakeModelServer
from tests.harness.fake_model import fake_with
from tests.harness.home import run

pytestmark = pytest.mark.integration
REPOSITORY = Path(__file__).resolve().parents[3]
PAGES = 6


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Six pages of two sections, each with a condition."""
    return written(tmp_path / "pages")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What a run without a fault makes of these pages."""
    root = tmp_path_factory.mktemp("undisturbed")
    settings = settings_for(root, fake_with())
    run(settings, written(root / "pages"))
    return dump(settings)


def written(made: Path) -> Path:
    made.mkdir()
    for number in range(PAGES):
        body = "".join(
            f"<h2>Part {part}</h2><p>You can get grant {number}{part} if you are over {60 + number}.</p>"
            f"<p>The Office {number}{part} Grant is £{number + 10}0 a year.</p>"
            for part in "ab"
        )
        head = f"<html><head><title>Grant {number}</title></head>"
        html = f"{head}<body><main><h1>Grant {number}</h1>{body}</main></body></html>"
        (made / f"p{number}.html").write_text(html, encoding="utf-8")
    return made


def settings_for(tmp_path: Path, fake: FakeModelServer, **more: Any) -> Settings:
    values: dict[str, Any] = {
        "home": tmp_path / "home", "embedding_model": "hashing", "llm": "mistral:fake-small", "llm_url": fake.url,
        "llm_key": "a-key-nobody-may-see", "llm_attempts": 3, "llm_timeout": 5.0, "call_tokens": 0,
    }  # fmt: skip
    return Settings(**(values | more))


def dump(settings: Settings) -> list[str]:
    with open_ledger(settings.home) as ledger, open_view(ledger, settings.corpus) as view:
        return dump_lines(view)


@pytest.mark.parametrize("provider", ["mistral", "openai"])
def test_conditions_reach_the_graph_through_either_client(
    tmp_path: Path, fake: FakeModelServer, folder: Path, provider: str
) -> None:
    url = fake.url if provider == "mistral" else f"{fake.url}/v1"
    settings = settings_for(tmp_path, fake, llm=f"{provider}:fake-small", llm_url=url)
    report = run(settings, folder)
    assert not report.failures
    with open_ledger(settings.home) as ledger, open_view(ledger, settings.corpus) as view:
        rules = view.graph.all_rules()
    assert all("rules.v2@" in rule.extractor for rule in rules)  # none is read without it
    assert len([one for one in rules if one.rule.condition is not None]) >= PAGES
    used = report.usage["rules"]
    assert used["calls"] == fake.counters()["requests"]
    assert used["prompt_tokens"] == fake.counters()["prompt_tokens"]


def test_what_shares_a_call_leaves_no_mark(tmp_path: Path, fake: FakeModelServer, folder: Path) -> None:
    apart = settings_for(tmp_path, fake)
    together = settings_for(tmp_path, fake, home=tmp_path / "other", call_tokens=5000)
    assert run(apart, folder).usage["rules"]["calls"] > PAGES
    assert run(together, folder).usage["rules"]["calls"] == PAGES
    assert dump(apart) == dump(together)


def test_what_sets_a_condition_for_sections_below_is_cited_and_asks_them_again(
    tmp_path: Path, fake: FakeModelServer
) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    settings = settings_for(tmp_path, fake, call_tokens=5000)
    page = "<html><title>Grants</title><main><h1>Rules</h1><p>{}</p><h2>Pay</h2><p>The office pays staff.</p></main>"
    fake.set(replies="script", script=["organisation: A office\nperson: B staff\n4 duty if 2: A pays B"])
    for text, asked in (("It holds if you work.", 2), ("It holds if you rest.", 2), ("It holds if you rest.", 0)):
        (folder / "p.html").write_text(page.format(text), encoding="utf-8")
        report = run(settings, folder)
        assert report.chunks_extracted == asked and not report.failures
        with open_ledger(settings.home) as ledger, open_view(ledger, settings.corpus) as view:
            (support,) = view.graph.all_supports()
            reading = view.reading(support.page)
        (leaf,) = leaves(support.statement.condition)
        assert leaf.text == text == next(one.text for one in reading.elements if one.anchor == leaf.anchor)


def test_a_second_run_asks_nothing_even_without_the_cache(tmp_path: Path, fake: FakeModelServer, folder: Path) -> None:
    settings = settings_for(tmp_path, fake)
    run(settings, folder)
    before = fake.counters()["requests"]
    assert run(settings, folder, force=True).chunks_extracted == 0
    for path in settings.home.glob("responses.db*"):
        path.unlink()
    assert run(settings, folder, force=True).chunks_extracted == 0
    assert fake.counters()["requests"] == before


def test_a_vacuum_leaves_nothing_of_a_page_that_is_gone(tmp_path: Path, fake: FakeModelServer, folder: Path) -> None:
    settings = settings_for(tmp_path, fake)
    run(settings, folder)
    (folder / "p3.html").unlink()
    run(settings, folder)
    result = CliRunner().invoke(
        made_app(),
        ["epochs", "vacuum", "--keep-epochs", "1", "--keep-days", "0", "--json", "--home", str(settings.home)],
    )
    assert json.loads(result.stdout)["replies"] > 0
    left = [path.name for path in settings.home.rglob("*") if path.is_file() and b"over 63" in path.read_bytes()]
    assert left == []
    assert not [line for line in dump(settings) if "p3.html" in line]


@pytest.mark.parametrize("provider", ["mistral", pytest.param("openai", marks=pytest.mark.long)])
def test_embeddings_of_a_server_are_counted_and_capped(
    tmp_path: Path, fake: FakeModelServer, folder: Path, provider: str
) -> None:
    more = {"embedding_model": f"{provider}:fake-embed", "embedding_url": fake.url, "embedding_key": "k"}
    report = run(settings_for(tmp_path, fake, llm=None, **more), folder)
    used = report.usage["embed"]
    assert used["prompt_tokens"] == fake.counters()["prompt_tokens"] > 0
    assert used["calls"] == fake.counters()["requests"]
    capped = settings_for(tmp_path, fake, llm=None, home=tmp_path / "capped", llm_budget_tokens=100, **more)
    with pytest.raises(BudgetExceeded):
        run(capped, folder)


@pytest.mark.parametrize(("prompt", "again"), [("triplets-v1", False), ("rules", True)])
def test_another_ontology_asks_again_where_the_prompt_offers_it(
    tmp_path: Path, fake: FakeModelServer, folder: Path, prompt: str, again: bool
) -> None:
    own = tmp_path / "own.toml"
    own.write_text('[office]\nabout = "who pays"\nwords = ["office"]\n', encoding="utf-8")
    first = run(settings_for(tmp_path, fake, extraction_prompt=prompt), folder)
    second = run(settings_for(tmp_path, fake, extraction_prompt=prompt, ontology=own), folder)
    assert first.chunks_extracted and second.chunks_extracted == (first.chunks_extracted if again else 0)


@pytest.mark.parametrize(
    ("fault", "more"),
    [
        pytest.param("429", {}, marks=pytest.mark.long),
        ("429", {"retry_after": 0.1}),
        pytest.param("500", {}, marks=pytest.mark.long),
        pytest.param("503", {"retry_after": 0.1}, marks=pytest.mark.long),
        ("cut_connection", {}),
        pytest.param("slow_stream", {"chunk_delay": 0.01}, marks=pytest.mark.long),
    ],
)
def test_passing_faults_are_retried_and_nothing_is_lost(
    tmp_path: Path, undisturbed: list[str], fake: FakeModelServer, folder: Path, fault: str, more: dict[str, Any]
) -> None:
    fake.set(fault=fault, fault_first=3, **more)
    shaky = settings_for(tmp_path, fake, home=tmp_path / "shaky", llm_attempts=6)
    report = run(shaky, folder)
    assert not report.failures
    assert dump(shaky) == undisturbed
    assert fake.counters()["repeated_ok"] == 0


@pytest.mark.parametrize(
    "fault",
    ["hang", "garbage", "wrong_schema"]
    + [pytest.param(fault, marks=pytest.mark.long) for fault in ("429", "500", "cut_connection", "empty")],
)
def test_lasting_faults_on_one_page_are_reported_and_the_rest_is_published(
    tmp_path: Path, undisturbed: list[str], fake: FakeModelServer, folder: Path, fault: str
) -> None:
    fake.set(fault=fault, fault_match="grant 3")
    hangs = {"llm_attempts": 1, "llm_timeout": 3.0} if fault == "hang" else {"llm_attempts": 2, "llm_timeout": 30.0}
    settings = settings_for(tmp_path, fake, **hangs)
    report = run(settings, folder)
    assert report.pages_failed == ["p3.html"]
    assert {failure.what for failure in report.failures} == {"p3.html"}
    assert all(failure.reason for failure in report.failures)
    assert len(report.pages_added) == PAGES - 1
    answered = fake.counters()["ok"]
    fake.set(fault="none")
    again = run(settings, folder)
    assert again.pages_added == ["p3.html"]
    assert not again.failures
    assert fake.counters()["repeated_ok"] == 0
    assert fake.counters()["ok"] > answered
    assert dump(settings) == undisturbed


def test_a_cut_off_reply_is_asked_for_again_in_smaller_parts(
    tmp_path: Path, fake: FakeModelServer, folder: Path
) -> None:
    whole = settings_for(tmp_path, fake, call_tokens=5000)
    run(whole, folder)
    fake_with(fault="truncated", fault_match="a year.\n5## Part b")  # where both parts are asked for together
    cut = settings_for(tmp_path, fake, home=tmp_path / "cut", call_tokens=5000)
    report = run(cut, folder)
    assert not report.failures
    assert report.usage["rules"]["calls"] > PAGES
    assert dump(cut) == dump(whole)


def test_a_wrong_key_stops_the_run_at_once(tmp_path: Path, folder: Path) -> None:
    settings = settings_for(tmp_path, fake_with(key="right"))
    with pytest.raises(ModelRefused, match="401") as raised:
        run(settings, folder)
    assert "a-key-nobody-may-see" not in str(raised.value)


@pytest.mark.parametrize("usage", ["reported", pytest.param("none", marks=pytest.mark.long)])
def test_a_budget_is_never_exceeded_and_the_rest_waits(
    tmp_path: Path, fake: FakeModelServer, folder: Path, usage: str
) -> None:
    fake.set(usage=usage, tokens="bytes")
    tight = settings_for(tmp_path, fake, llm_budget_tokens=16_000, llm_max_output=2000)
    report = run(tight, folder)
    counters = fake.counters()
    assert counters["prompt_tokens"] + counters["output_tokens"] <= 16_000
    assert report.pages_failed
    assert "budget" in report.failures[0].reason
    roomy = settings_for(tmp_path, fake, llm_max_output=2000)
    again = run(roomy, folder)
    assert not again.failures
    assert sorted(again.pages_added) == sorted(report.pages_failed)
    assert fake.counters()["repeated_ok"] == 0
