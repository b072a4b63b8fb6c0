"""The reader before a model server: one call, one repair at most, and answers that stand on the page."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from clausegraph.app.render import answer_text
from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.prompts import shipped_prompts
from clausegraph.core.types import Answer, AnswerStatus
from clausegraph.query.read.model.guide import Guide
from clausegraph.query.read.model.labelled import Examples, LabelledAnswer, LabelledQuestion
from clausegraph.query.read.model.reader import ModelReader, ReadOptions
from clausegraph.query.read.model.shown import shown_of
from clausegraph.query.read.protocol import make_reader
from clausegraph.query.steps.model import StepModel
from tests.query.read.conftest import Pages
from tests.query.read.model.drafts import ASKED, BORN, FEES, HOME, RENT, RULE, answer, condition, reply

pytestmark = pytest.mark.integration
Scripted = Callable[..., StepModel]

GOOD = reply(answer("yes", "e3", RULE), conditions=[BORN, RENT, HOME, FEES])
INVENTED = reply(answer("yes", "e99"))


def test_one_call_where_nothing_fails(scripted: Scripted, grant: Pages) -> None:
    model = scripted(GOOD)
    result = make_reader("model", None, model).read(ASKED, grant.hits(), grant)  # type: ignore[arg-type]
    assert (result.status, [a.text for a in result.alternatives]) == (AnswerStatus.ANSWERED, ["yes"])
    assert (model.meter.usage().tasks, result.reasons["repaired"]) == ({"read": 1}, False)


def test_what_fails_is_repaired_by_one_call(scripted: Scripted, grant: Pages) -> None:
    model = scripted(INVENTED, GOOD)
    result = ModelReader(None, model).read(ASKED, grant.hits(), grant)
    assert (result.reasons["repaired"], [a.text for a in result.alternatives]) == (True, ["yes"])
    assert model.meter.usage().tasks == {"read": 1, "read-repair": 1}


def test_what_fails_twice_is_told_and_not_asserted(scripted: Scripted, grant: Pages) -> None:
    model = scripted("no JSON at all", INVENTED)
    result = ModelReader(None, model).read(ASKED, grant.hits(), grant)
    assert (result.status, result.alternatives) == (AnswerStatus.UNKNOWN, ())
    assert "no JSON" in str(result.reasons["problems"])
    assert model.meter.usage().calls == 2


def test_a_worse_repair_does_not_replace_what_stood(scripted: Scripted, grant: Pages) -> None:
    half = reply(answer("yes", "e3"), answer("a palace", "e9"))
    for second in (INVENTED, "nothing"):
        result = ModelReader(None, scripted(half, second)).read(ASKED, grant.hits(), grant)
        assert [a.text for a in result.alternatives] == ["yes"]


def test_a_repair_that_the_question_has_no_room_for_is_not_made(scripted: Scripted, grant: Pages) -> None:
    model = scripted(INVENTED, GOOD, calls=1)
    assert ModelReader(None, model).read(ASKED, grant.hits(), grant).status is AnswerStatus.UNKNOWN
    assert model.meter.usage().calls == 1


def test_a_no_that_its_own_conditions_refute_is_asked_about_and_then_turned(scripted: Scripted, grant: Pages) -> None:
    asked = Inquiry(ASKED.question, f"{ASKED.scenario} She pays all of her own fees.")
    fees = condition("fees", "e7", "met", "She pays all of her own fees", quote="you pay all of your own fees")
    stubborn = reply(answer("no", "e7", {"all": ["home", {"not": "fees"}]}), conditions=[HOME, fees])
    model = scripted(stubborn)
    (only,) = ModelReader(None, model).read(asked, grant.hits(), grant).alternatives
    assert (only.text, model.meter.usage().calls) == ("yes", 2)


def test_a_guide_is_not_used_on_a_question_it_was_learned_from(scripted: Scripted, grant: Pages) -> None:
    seen = LabelledQuestion("q7", "/p", ASKED.question.upper(), ASKED.scenario, (), ())
    options = ReadOptions(guide=Guide("mine", "Be short.", saw={seen.id: seen.text_hash}))
    model = scripted(GOOD)
    with pytest.raises(InputError, match="guide 'mine' was learned from question 'q7'"):
        ModelReader(None, model, options).read(ASKED, grant.hits(), grant)
    assert model.meter.usage().calls == 0


def test_what_is_measured_on_is_no_example_nor_is_its_page_and_no_guide_has_seen_it() -> None:
    def labelled(name: str, page: str, question: str) -> LabelledQuestion:
        return LabelledQuestion(name, page, question, "", (LabelledAnswer("no"),), ("<p>No.</p>",))

    known = [
        labelled("q1", "/a", "May I stay?"), labelled("q2", "/b", "May I go?"),
        labelled("q3", "/c", "may  I come?"), labelled("q4", "/d", "May I leave?"),
    ]  # fmt: skip
    asked = [labelled("q1", "/x", "?"), labelled("d2", "/b", "What?"), labelled("d3", "/y", "May I come?")]
    options = ReadOptions(examples=Examples(known)).measured_on(asked)
    assert options.examples is not None
    assert [example.id for example in options.examples.nearest("May I stay?", "", 9)] == ["q4"]
    with pytest.raises(InputError, match="guide 'mine' was learned from question 'q1'"):
        replace(options, guide=Guide("mine", "Be short.", saw={one.id: one.text_hash for one in known})).measured_on(
            asked
        )


def test_nothing_retrieved_asks_nobody(scripted: Scripted, grant: Pages) -> None:
    model = scripted(GOOD)
    assert ModelReader(None, model).read(ASKED, [], grant).status is AnswerStatus.NOT_ANSWERABLE
    assert model.meter.usage().calls == 0


def test_a_prompt_shows_the_most_like_examples_one_a_page_and_never_the_question_itself(grant: Pages) -> None:
    def labelled(name: str, page: str, question: str) -> LabelledQuestion:
        return LabelledQuestion(name, page, question, "", (LabelledAnswer("no", ("<li>x</li>",)),), ("<p>No.</p>",))

    like = labelled("q1", "/a", "Could he get the fuel grant?")
    same_page = labelled("q2", "/a", "Could they get the fuel grant?")
    other = labelled("q3", "/b", "When is the library open?")
    itself = labelled("q4", "/c", ASKED.question)
    guide = Guide("mine", "Be short.")
    options = ReadOptions(guide=guide, examples=Examples([other, itself, same_page, like]), shots=1)
    asked = Inquiry(ASKED.question)
    inputs = options.inputs(asked, shown_of(grant.hits(), grant.reading, 500))
    text = str(inputs["examples"])
    assert "fuel grant" in text and "library" not in text and ASKED.question not in text
    assert text.count("Question:") == 1 and "no — if: <li>x</li>" in text
    prompt = shipped_prompts().get("read")
    whole = "\n".join(message.content for message in prompt.render(**inputs))
    assert all(part in whole for part in ("e4- you were born", "Be short.", "fuel grant", "(none given)"))


def test_a_refusal_may_say_whom_to_ask(scripted: Scripted, grant: Pages) -> None:
    """A sentence that cannot be verified is left out, and no quote takes its place."""
    told = {"text": "You can get the grant if you get Rent Supplement.", "role": "next", "sources": ["e3", "e5"]}
    invented = {"text": "Ring 0555 999 999.", "role": "next", "sources": ["e9"]}
    refusal = reply() | {"sentences": [told | {"sums": []}, invented | {"sums": []}], "missing": "when it is paid"}
    result = ModelReader(None, scripted(refusal, refusal)).read(ASKED, grant.hits(), grant)
    assert (result.status, result.missing) == (AnswerStatus.NOT_ANSWERABLE, "when it is paid")
    assert [one.text for one in result.sentences] == [told["text"]]
    wordless = refusal | {"missing": ", ,"}
    assert ModelReader(None, scripted(wordless, wordless)).read(ASKED, grant.hits(), grant).missing == ""
    found = Answer(ASKED, result.status, (), "corpus", 1, sentences=result.sentences, missing=result.missing)
    shown = answer_text(found).splitlines()
    assert shown[:2] == ["These pages do not say when it is paid.", f"Next: {told['text']} [1]"]
