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


def verdict(triple: Any, *wrong: Any) -> dict[str, Any]:
    return {"triple": triple} | ({"wrong": wrong[0]} if wrong else {})


WRONG = "the model finds it wrong: "


@pytest.mark.unit
@pytest.mark.parametrize(
    ("items", "standing", "reason"),
    [
        ([verdict(1, ""), verdict(2, "")], [True, True], ""),
        ([verdict(1, None), verdict(2, False)], [True, True], ""),
        ([verdict(1, "condition: only for some"), verdict(2, "")], [False, True], f"{WRONG}condition: only for some"),
        ([verdict(1, True), verdict(2, "")], [False, True], f"{WRONG}it does not say why"),
        ([verdict(1, ["x"]), verdict(2, "")], [False, True], f"{WRONG}it does not say why"),
        ([verdict(1, "")], [True, False], "the model says nothing of it when it looks again"),
        ([verdict(1, ""), verdict(2, ""), verdict(1, "no"), verdict(1)], [False, True], f"{WRONG}no"),
        *(
            ([verdict(1, ""), verdict(2, ""), foreign], [True, True], "the model judges a triple that there is not")
            for foreign in (verdict(3, "no"), verdict("x"), "all", 1, verdict(10**30, ""))
        ),
    ],
)
def test_what_does_not_stand_is_a_passage_with_the_reason_among_the_rejects(
    items: list[Any], standing: list[bool], reason: str
) -> None:
    made = found()
    left = checked(json.dumps({"triples": items}), made)
    for before, after, stands in zip(made, left, standing, strict=False):
        assert before is not None and after is not None
        assert after.statements == (before.statements if stands else ())
        assert [one.spans for one in after.passages] == [one.spans for one in before.statements if not stands]
    told = [reject.reason for one in left if one is not None for reject in one.rejects]
    assert [one.startswith(reason) for one in told] == [True] * bool(reason)


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
