"""The critic decides without the draft; where both agree one call is enough, and it changes a draft only when sure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest

from clausegraph.core.errors import InputError
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.views import View
from clausegraph.query.read.model.guide import Guide, saw_of
from clausegraph.query.read.model.labelled import LabelledQuestion
from clausegraph.query.read.model.options import ReadOptions
from clausegraph.query.read.model.reader import ModelReader
from clausegraph.query.read.model.verify import SURE, Critic
from clausegraph.query.read.protocol import ReadResult
from clausegraph.query.steps.bank import StepParts, make_verifier
from clausegraph.query.steps.look import Lookup
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.protocol import Verdict
from tests.query.read.conftest import Pages
from tests.query.read.model.drafts import ASKED, BORN, FEES, HOME, RENT, RULE, answer, reply

pytestmark = pytest.mark.integration
Scripted = Callable[..., StepModel]

DRAFT = reply(answer("yes", "e3", RULE), conditions=[BORN, RENT, HOME, FEES])


def own(text: str, *conditions: str) -> dict[str, Any]:
    given = {"text": text, "element": "e6", "evidence": ["e6"], "conditions": list(conditions)}
    return {"checks": [], "missed": "", "answers": [given]}


def reviewed(scripted: Scripted, grant: Pages, *replies: object) -> tuple[ReadResult, Verdict, StepModel]:
    draft = ModelReader(None, scripted(DRAFT)).read(ASKED, grant.hits(), grant)
    model = scripted(*replies)
    return draft, Critic(None, model).verify(ASKED, draft, grant.hits(), grant), model


def test_the_step_of_an_engine_has_the_guide_that_the_reader_has(scripted: Scripted, grant: Pages) -> None:
    draft = ModelReader(None, scripted(DRAFT)).read(ASKED, grant.hits(), grant)
    seen = LabelledQuestion("q7", "/p", ASKED.question, ASKED.scenario, (), ())
    reading = ReadOptions(guide=Guide("mine", "Be short.", saw=saw_of([seen])))
    critic = make_verifier(
        "llm", StepParts(cast(View, None), HashingEmbedder(), cast(Lookup, None), scripted(DRAFT), reading)
    )
    assert critic is not None
    with pytest.raises(InputError, match="guide 'mine'"):
        critic.verify(ASKED, draft, grant.hits(), grant)


def test_one_call_where_it_agrees(scripted: Scripted, grant: Pages) -> None:
    _, review, model = reviewed(scripted, grant, own("yes", "e7"))
    assert (review.supported, review.repaired, model.meter.usage().tasks) == (True, None, {"verify": 1})


@pytest.mark.parametrize(
    ("weighed", "changes"),
    [
        ({"why": "e6 says so", "better": "own", "sure": SURE}, True),
        ({"why": "e6 says so", "better": "own", "sure": SURE - 1}, False),
        ({"why": "e6 says so", "better": "draft", "sure": 100}, False),
        ({"better": "own", "sure": "very"}, False),
        ("certainly my own", False),
    ],
)
def test_it_changes_a_draft_only_when_sure(scripted: Scripted, grant: Pages, weighed: object, changes: bool) -> None:
    _, review, model = reviewed(scripted, grant, own("no"), weighed)
    assert model.meter.usage().tasks == {"verify": 1, "verify-weigh": 1}
    assert review.supported is not changes
    assert [a.text for a in review.repaired.alternatives] == ["no"] if review.repaired else not changes


def test_what_it_cannot_say_itself_changes_nothing(scripted: Scripted, grant: Pages) -> None:
    for said in ("no JSON", own("a palace")):
        _, review, model = reviewed(scripted, grant, said)
        assert (review.supported, review.repaired, model.meter.usage().calls) == (True, None, 1)
