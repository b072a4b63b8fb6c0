"""A model that looks again at what it stated: it can take away, and nothing else."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import Extraction
from clausegraph.core.prompts import shipped_prompts
from clausegraph.core.settings import Settings
from clausegraph.core.types import PassageKind
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import open_view
from clausegraph.ingestion.extract.llm.check import checked, render_check
from clausegraph.ingestion.extract.llm.conditional import parse_conditional
from clausegraph.ingestion.pipeline import Options
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.sources import open_source
from tests.harness.fake_model import FakeModelServer, FakeOptions
from tests.ingestion.llm.calls import grant_call, reply

PAID = {
    "subject": "Heating Grant", "subject_type": "benefit", "relation": "is paid by", "object": "council",
    "object_type": "organisation", "elements": [4], "holds": True, "modality": "is",
    "if": {"not": {"element": 4, "quote": "you live in a care home"}}, "in_force": None, "doubt": "",
}  # fmt: skip
WINTER = PAID | {"object": "winter", "object_type": "event", "relation": "is paid in", "elements": [7], "if": None}


def found() -> list[Extraction | None]:
    return list(parse_conditional(reply(PAID, WINTER), grant_call(), cut_off=False))


def verdicts(*wrong: Any) -> str:
    """A reply that says this of the first, the second … triple."""
    return json.dumps({"triples": [{"triple": n, "page": "…", "wrong": one} for n, one in enumerate(wrong, 1)]})


@pytest.mark.unit
def test_the_model_sees_the_page_and_the_triples_with_their_lines() -> None:
    _, user = render_check(shipped_prompts().get("check-triplets"), grant_call(), found())
    page, _, triples = user.content.partition("Triples:")
    assert "\n5. You cannot claim after 31 March 2026." in page
    assert [line for line in triples.splitlines() if line[:1].isdigit()] == [
        "1. Heating Grant | is paid by | council | if not you live in a care home [4]",
        "2. Heating Grant | is paid in | winter [7]",
    ]


@pytest.mark.unit
def test_what_it_finds_wrong_is_a_passage_with_the_reason_among_the_rejects() -> None:
    made = found()
    first, second, _ = checked(verdicts("condition: only for some", ""), made)
    assert first is not None and second is not None and made[0] is not None
    assert not first.statements and [one.relation for one in second.statements] == ["is paid in"]
    (left,) = first.passages
    assert (left.kind, left.spans) == (PassageKind.RULE, made[0].statements[0].spans)
    assert [reject.reason for reject in first.rejects] == ["the model finds it wrong: condition: only for some"]
    assert list(checked(verdicts("", ""), made)) == made


@pytest.mark.unit
def test_a_triple_of_which_it_says_nothing_does_not_stand() -> None:
    first, second, _ = checked(verdicts(""), found())
    assert first is not None and second is not None and first.statements and not second.statements
    assert [reject.reason for reject in second.rejects] == ["the model says nothing of it when it looks again"]
    assert second.passages


@pytest.mark.unit
@pytest.mark.parametrize(("said", "holds"), [("", True), (None, True), (False, True), (True, False), (["x"], False)])
def test_whatever_else_it_says_against_a_triple_takes_it_away(said: object, holds: bool) -> None:
    first, *_ = checked(verdicts(said, ""), found())
    assert first is not None and bool(first.statements) is holds


@pytest.mark.unit
def test_one_verdict_against_a_triple_of_several_is_enough() -> None:
    items = [{"triple": 1, "wrong": ""}, {"triple": 2, "wrong": ""}, {"triple": 1, "wrong": "no"}, {"triple": 1}]
    first, second, _ = checked(json.dumps({"triples": items}), found())
    assert first is not None and second is not None and not first.statements and second.statements
    assert [reject.reason for reject in first.rejects] == ["the model finds it wrong: no"]


@pytest.mark.unit
def test_a_triple_that_there_is_not_is_told_and_takes_nothing_away() -> None:
    held = [{"triple": 1, "wrong": ""}, {"triple": 2, "wrong": ""}]
    for item in ({"triple": 3, "wrong": "no"}, {"triple": "x"}, "all", 1, {"triple": 10**30, "wrong": ""}):
        first, second, _ = checked(json.dumps([*held, item]), found())
        assert first is not None and second is not None and first.statements and second.statements
        assert "that there is not" in first.rejects[-1].reason


@pytest.mark.unit
@pytest.mark.parametrize("text", ["", "fine", "{}", '{"triples": "all"}', '{"triples": [{"triple": 1', '"triples"'])
def test_a_reply_that_cannot_be_read_lets_nothing_pass(text: str) -> None:
    with pytest.raises(UnusableReply):
        checked(text, found())


@pytest.fixture(scope="module")
def fake() -> Iterator[FakeModelServer]:
    with FakeModelServer(FakeOptions()) as running:
        yield running


def run(tmp_path: Path, fake: FakeModelServer, **more: Any) -> tuple[RunReport, int, int]:
    """A run over one page; how many facts and passages the epoch has."""
    pages = tmp_path / "pages"
    pages.mkdir(exist_ok=True)
    html = "<html><body><main><h1>Grant</h1><p>You can get the grant if you are over 60.</p></main></body></html>"
    (pages / "grant.html").write_text(html, encoding="utf-8")
    settings = Settings(
        home=tmp_path / "home", embedding_model="hashing", llm="mistral:fake-small", llm_url=fake.url, llm_key="k",
        llm_attempts=1, extraction_check=True, **more,
    )  # fmt: skip
    with Workspace(settings) as workspace:
        report = run_ingest(workspace, "default", open_source(str(pages)), Options())
    with open_ledger(settings.home) as ledger:
        if report.epoch is None:
            return report, 0, 0
        with open_view(ledger, "default") as view:
            return report, len(view.graph.all_supports()), len(view.passages(view.page_keys()[0]))


@pytest.mark.integration
def test_a_run_asks_twice_and_a_page_whose_check_fails_waits_for_the_next(
    tmp_path: Path, fake: FakeModelServer
) -> None:
    triple = {
        "subject": "applicant", "subject_type": "role", "relation": "gets", "object": "grant", "object_type": "benefit",
        "elements": [2], "holds": True, "modality": "may", "if": {"element": 2, "quote": "you are over 60"},
        "in_force": None, "doubt": "",
    }  # fmt: skip
    facts = {"triples": [triple]}
    fake.set(replies="script", script={"Triples:": "no idea", "# ": facts})
    failed, *_ = run(tmp_path, fake)
    assert failed.pages_failed and "check" in failed.failures[0].reason
    fake.set(replies="script", script={"Triples:": json.loads(verdicts("")), "# ": facts})
    held, supports, _ = run(tmp_path, fake)
    assert not held.failures and supports == 1
    calls = {task: used["calls"] for task, used in held.usage.items()}
    assert calls == {"check-triplets": 1, "triplets-conditional": 0}  # that reply was kept
    fake.set(replies="script", script={"Triples:": json.loads(verdicts("true: too bold")), "# ": facts})
    (tmp_path / "again").mkdir()
    taken, supports, passages = run(tmp_path / "again", fake)
    assert not taken.failures and supports == 0 and passages
    assert ["too bold" in reject.reason for reject in taken.rejects] == [True]
