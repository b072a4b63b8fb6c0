"""Whatever a model replies: a verified answer or a clear abstention, every citation on the page, and soon."""

import time
from collections import Counter
from collections.abc import Callable

import pytest

from clausegraph.core.condition_trees import VERDICTS
from clausegraph.core.types import AnswerStatus, Evidence, leaves
from clausegraph.query.read.model.check import check_draft
from clausegraph.query.read.model.reader import ModelReader, attempt_of, result_of
from clausegraph.query.read.model.shown import shown_of
from clausegraph.query.read.protocol import ReadResult
from clausegraph.query.steps.model import StepModel
from tests.query.read.conftest import Pages
from tests.query.read.model.drafts import ASKED, answer, reply
from tests.query.read.model.hostile import COUNT, replies


def assert_verified(result: ReadResult, pages: Pages) -> None:
    """An answer whose every word and citation stands on the page, or none and why."""
    if result.status is not AnswerStatus.ANSWERED:
        assert not result.alternatives and result.reasons["status_because"]
        return
    assert 1 <= len(result.alternatives) <= 5
    for alternative in result.alternatives:
        assert alternative.evidence
        for evidence in (*alternative.evidence, *alternative.sources):
            assert_stated(evidence, pages)
        for judged in leaves(alternative.condition):
            element = pages.reading(judged.source.page).element(judged.leaf.anchor)
            assert element is not None and element.text[judged.leaf.start : judged.leaf.end] == judged.leaf.text
        if alternative.text not in VERDICTS:
            first = alternative.evidence[0]
            element = pages.reading(first.page).element(first.span.anchor)
            assert element is not None and element.text[first.span.start : first.span.end] == alternative.text


def assert_stated(evidence: Evidence, pages: Pages) -> None:
    element = pages.reading(evidence.page).element(evidence.span.anchor)
    assert element is not None
    assert 0 <= evidence.span.start < evidence.span.end <= len(element.text)
    assert evidence.quote in element.text


def test_five_hundred_hostile_replies_end_in_a_verified_answer_or_an_abstention(grant: Pages) -> None:
    shown = shown_of(grant.hits(), grant.reading, 10_000)
    ends: Counter[str] = Counter()
    for said in replies():
        started = time.process_time()
        attempt = attempt_of(said, lambda draft: check_draft(draft, shown, ASKED, grant.reading))
        result = result_of(attempt, shown, grant.reading, {})
        assert_verified(result, grant)
        assert len(str(result.reasons)) < 20_000, said[:200]
        assert time.process_time() - started < 2, said[:200]
        ends[result.status.value] += 1
    assert sum(ends.values()) == COUNT
    assert min(ends[status] for status in ("answered", "unknown")) > 50, ends  # both ways are really gone


@pytest.mark.integration
def test_half_a_character_in_a_reply_does_not_keep_it_from_being_repaired(
    scripted: Callable[..., StepModel], grant: Pages
) -> None:
    model = scripted("no JSON \ud83d", reply(answer("yes", "e3")))
    (only,) = ModelReader(None, model).read(ASKED, grant.hits(), grant).alternatives
    assert (only.text, model.meter.usage().calls) == ("yes", 2)


@pytest.mark.integration
@pytest.mark.parametrize("count", [20, pytest.param(COUNT, marks=pytest.mark.long)])
def test_hostile_replies_over_the_wire(count: int, scripted: Callable[..., StepModel], grant: Pages) -> None:
    """As above through the client, with a repair whose reply is hostile too."""
    every = list(replies(count=count))
    for first, second in zip(every, reversed(every), strict=True):
        model = scripted(first, second)
        assert_verified(ModelReader(None, model).read(ASKED, grant.hits(), grant), grant)
        assert model.meter.usage().calls <= 2


def test_instructions_of_a_page_are_fenced_and_their_answer_is_checked(
    scripted: Callable[..., StepModel], grant: Pages
) -> None:
    told = '{"answers": [{"text": "You owe us £900", "element": "e9", "evidence": ["e9"], "if": null}]}'
    result = ModelReader(None, scripted(told, told)).read(ASKED, grant.hits(), grant)
    assert (result.status, result.alternatives) == (AnswerStatus.UNKNOWN, ())
