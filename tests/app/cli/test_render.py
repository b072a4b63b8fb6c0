import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator
from rich.console import Console, RenderableType

from clausegraph.app.render import answer_markdown, render_answer, render_step
from clausegraph.app.services.answers import SCHEMA, shown_answer
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.presentation.wording import headline, pages_disagree, question_of
from clausegraph.core.types import (
    All,
    Alternative,
    Answer,
    AnswerStatus,
    AnyOf,
    ConditionState,
    Contradiction,
    Evidence,
    JudgedLeaf,
    Leaf,
    Not,
    PageKey,
    Span,
    TraceStep,
)
from tests.harness.tables import rows

MET, UNMET, OPEN = ConditionState.MET, ConditionState.UNMET, ConditionState.UNKNOWN


def evidence(uri: str = "a.html", quote: str = "You can get £210.", **more: str | None) -> Evidence:
    return Evidence(
        PageKey("pages", uri), f"Title of {uri}", ("Title of a.html", "Rates"), Span("p-1-0", 0, 4), quote,
        f"<p>{quote}</p>", **more,
    )  # fmt: skip


def answer(*alternatives: Alternative, status: AnswerStatus = AnswerStatus.ANSWERED) -> Answer:
    return Answer(
        Inquiry("How much?", "I rent."),
        status,
        alternatives,
        "default",
        3,
        (TraceStep("read", 1.26, {"n": 1, "why": ["a", "b"], "left": []}),),
    )


def printed(renderable: RenderableType) -> str:
    out = io.StringIO()
    Console(file=out, width=120, markup=False, highlight=False, emoji=False).print(renderable)
    return out.getvalue()


def test_a_model_that_read_is_named_once() -> None:
    read = TraceStep("read", 1.0, {"read_by": "openai:x, prompt read, guide mine\x1b[2J"})
    both = replace(answer(), trace=(TraceStep("retrieve", 1.0), read, read))
    assert printed(render_answer(both, found=True)).count("read by openai:x, prompt read, guide mine") == 1
    assert "\x1b" not in answer_markdown(both)
    assert "read by" not in printed(render_answer(both))


RENT, OLD, WORK = Leaf("p-1-0", 0, 4, "you rent"), Leaf("p-2-0", 0, 3, "you are 70"), Leaf("p-3-0", 0, 3, "you work")


def conditional(*states: ConditionState) -> Alternative:
    rent, old, work = (
        JudgedLeaf(leaf, state, evidence(quote=f"condition {number}"))
        for number, (leaf, state) in enumerate(zip((RENT, OLD, WORK), states, strict=True))
    )
    tree = All((rent, AnyOf((old, Not(work)))))
    return Alternative("£210", tree, (evidence(updated="2026-03-03", url="https://x.example/a"),), 0.5)


def test_conditions_are_ticked_and_what_is_open_is_asked() -> None:
    text = printed(render_answer(answer(conditional(MET, UNMET, OPEN))))
    first, *rest = text.splitlines()
    assert first == "£210, if all of these hold:"
    assert rest[:4] == [
        "  ✓ met: you rent",
        "  any of these:",
        "    ✗ unmet: you are 70",
        "    ? open: unless: Do you work?",
    ]


def test_a_case_that_an_exception_lifts_is_said_as_one() -> None:
    rent, old, work = (JudgedLeaf(leaf, MET, evidence()) for leaf in (RENT, OLD, WORK))
    unknown = replace(rent, state=OPEN)
    second = replace(unknown, leaf=Leaf("p-4-0", 0, 3, "you study"))
    case = All((old, Not(AnyOf((work, replace(rent, state=UNMET))))))
    found = Alternative("yes", Not(AnyOf((unknown, second, case))))
    assert printed(render_answer(answer(found))).splitlines()[:5] == [
        "Yes, if none of these holds:",
        "  ? open: Do you rent?",
        "  ? open: Do you study?",
        "  ✗ unmet: you are 70, but an exception is met:",
        "    ✓ met: you work",
    ]


def test_a_verdict_says_what_it_waits_for_and_what_holds_otherwise() -> None:
    rent, old = (JudgedLeaf(leaf, OPEN, evidence()) for leaf in (RENT, OLD))
    assert headline(Alternative("no", AnyOf((rent, old)))) == "No, if any of these holds:"
    assert headline(Alternative("yes", All((rent, old)))) == "Yes, if all of these hold:"
    assert headline(Alternative("yes", Not(AnyOf((rent, old))))) == "Yes, if none of these holds:"
    assert headline(Alternative("yes", Not(rent))) == "Yes, unless this holds:"
    assert headline(Alternative("yes", replace(rent, state=MET))) == "Yes."
    assert "no" not in printed(render_answer(answer(Alternative("yes", All((rent, old))))))  # no page says otherwise


def test_a_single_open_condition_stands_in_the_sentence_and_is_asked() -> None:
    rent, work = JudgedLeaf(RENT, MET, evidence()), JudgedLeaf(WORK, OPEN, evidence())
    lines = printed(render_answer(answer(Alternative("no", All((rent, Not(work))))))).splitlines()
    assert lines == ["No, unless you work.", "You said: you rent", "Check: Do you work?"]
    asked = replace(work, question="Do you have a paid job?")
    assert "Check: Do you have a paid job?" in printed(render_answer(answer(Alternative("yes", asked))))
    living = replace(work, leaf=Leaf("e0", 0, 24, "you living in Port Ashby"))
    lines = printed(render_answer(answer(Alternative("yes", living)))).splitlines()
    assert lines == ["Yes, if this holds:", "  ? open: Is this so: you living in Port Ashby?"]
    listed = replace(living, leaf=Leaf("e0", 0, 16, "the owner agrees"), source=evidence(lead_in="You get it if:"))
    assert "  ? open: Is this so: the owner agrees?" in printed(render_answer(answer(Alternative("yes", listed))))


@pytest.mark.parametrize(("condition", "question"), rows(__file__, "an open condition, and its question"))
def test_an_open_condition_is_a_question(condition: str, question: str) -> None:
    assert question_of(condition) == question


def test_what_is_not_asserted_is_quoted_with_its_lead_in_and_items() -> None:
    item = evidence(quote="you rent", lead_in="You can get it if:")
    lead = replace(evidence("b.html", quote="You need:"), items=("a passport", "a photo"))
    unsure = replace(answer(status=AnswerStatus.QUOTED), quotes=(item, lead), corrected=(("gratn", "grant"),))
    text = printed(render_answer(unsure))
    assert text.startswith("“gratn” was read as “grant”\nThe page says:")
    assert "“You can get it if:”\n      “you rent”" in text
    assert "This may not decide it. See also [2]" in text
    assert "“You need:”\n    “a passport”" in text[text.index("Source:") :]  # of another page
    value = shown_answer(unsure).as_json()
    assert value["quotes"][0]["lead_in"] == "You can get it if:" and value["quotes"][1]["items"] == [
        "a passport",
        "a photo",
    ]
    assert value["corrected"] == [{"typed": "gratn", "read": "grant"}]


def test_quotes_of_one_place_stand_together_and_no_other_is_named() -> None:
    paper = replace(evidence(quote="a passport", lead_in="You need:"), items=("a photo",), item_depths=(0,))
    photo = replace(paper, quote="a photo", items=("a passport",), items_before=1, span=Span("e2", 0, 7), position=1)
    unsure = replace(answer(status=AnswerStatus.QUOTED), quotes=(photo, paper))
    text = printed(render_answer(unsure))
    assert text.index("a passport") < text.index("a photo") and "See also" not in text
    later = replace(paper, quote="a stamp", items=(), page_number=7, span=Span("e3", 0, 7))
    assert "See also [2]" in printed(
        render_answer(replace(unsure, quotes=(paper, later)))
    )  # of another page of the document


def test_the_published_schema_describes_every_answer() -> None:
    schema = json.loads((Path(__file__).parents[3] / "docs" / "answer.schema.json").read_text(encoding="utf-8"))
    assert schema["$id"] == SCHEMA
    unsure = replace(answer(status=AnswerStatus.QUOTED), quotes=(evidence(),), corrected=(("gratn", "grant"),))
    for found in (answer(conditional(MET, UNMET, OPEN)), answer(), unsure):
        Draft202012Validator(schema).validate(shown_answer(found, trace=True).as_json())
        assert not Draft202012Validator(schema).is_valid(
            shown_answer(found).as_json() | {"schema": "clausegraph.answer/2"}
        )


def test_evidence_of_a_document_with_pages_says_its_page() -> None:
    found = answer(Alternative("£210", evidence=(replace(evidence(), page_number=3),)))
    assert "Rates › page 3: “You can get £210.”" in printed(render_answer(found))
    (alternative,) = shown_answer(found).as_json()["alternatives"]
    assert alternative["evidence"][0]["page_number"] == 3
    schema = json.loads((Path(__file__).parents[3] / "docs" / "answer.schema.json").read_text(encoding="utf-8"))
    Draft202012Validator(schema).validate(shown_answer(found).as_json())


def test_markdown_says_the_same_lines() -> None:
    found = answer(conditional(MET, UNMET, OPEN))
    plain = [line.strip() for line in printed(render_answer(found)).splitlines() if line.strip()]
    marked = answer_markdown(found)
    assert "**£210, if all of these hold:**" in marked and "* ✓ met: you rent" in marked
    bare = [re.sub(r"^\s*\* |[*\\]", "", line).strip() for line in marked.splitlines() if line.strip()]
    assert bare == plain
    hostile = answer_markdown(answer(Alternative("[x](javascript:1) <b>", evidence=(evidence(),))))
    assert "\\[x\\](javascript:1) \\<b\\>" in hostile
    linked = answer_markdown(
        answer(Alternative("£1", evidence=(evidence(),))), lambda _: "https://x.example/a) [b] <c>"
    )
    assert "[\\[1\\]](https://x.example/a%29%20%5Bb%5D%20%3Cc%3E)" in linked


def test_json_has_states_pages_and_open_conditions() -> None:
    value = shown_answer(answer(conditional(MET, UNMET, OPEN)), trace=True).as_json()
    (option,) = value["alternatives"]
    first, either = option["condition"]["all"]
    assert first["leaf"]["state"] == "met" and first["leaf"]["page"] == "pages:a.html"
    assert first["leaf"]["decisive"] is True and first["leaf"]["quote"] == "condition 0"
    assert either["any"][1]["not"]["leaf"]["state"] == "unknown"
    assert option["open_conditions"] == ["<p>condition 2</p>"]
    assert option["evidence"][0]["quote"] == "You can get £210."
    assert value["trace"] == [{"name": "read", "milliseconds": 1.3, "detail": {"n": 1, "why": ["a", "b"], "left": []}}]
    assert json.loads(json.dumps(value)) == value
    assert "trace" not in shown_answer(answer()).as_json()


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (AnswerStatus.NOT_ANSWERABLE, "do not answer this"),
        (AnswerStatus.UNKNOWN, "do not answer this"),
        (AnswerStatus.INVALID_PREMISE, "contradict"),
    ],
)
def test_each_status_has_its_line(status: AnswerStatus, words: str) -> None:
    assert words in printed(render_answer(answer(status=status)))
    assert shown_answer(answer(status=status)).as_json()["status"] == status.value


def test_disagreeing_pages_are_shown_with_dates() -> None:
    sides = answer(
        Alternative("yes", evidence=(evidence("a.html", updated="2026-03-03"),)),
        Alternative("no", evidence=(evidence("b.html"),)),
    )
    text = printed(render_answer(sides))
    assert "The pages disagree" in text
    assert "1. Yes. (Title of a.html, updated 2026-03-03) [1]" in text
    assert "2. No. (Title of b.html, no date stated) [2]" in text
    assert shown_answer(sides).as_json()["pages_disagree"] is True


def test_sides_are_told_newest_first_and_what_is_replaced_since_when() -> None:
    new, old = evidence("b.html", quote="It is £2.", updated="2026-03-03"), evidence("a.html", quote="It is £1.")
    held = replace(
        answer(status=AnswerStatus.UNKNOWN), quotes=(old,), contradictions=(Contradiction("value", new, old),)
    )
    text = printed(render_answer(held))
    assert text.index("so neither side is asserted") < text.index("It is £2.") < text.index("It is £1.")
    assert text.count("It is £1.") == 1 and "The page says" not in text
    assert shown_answer(held).as_json()["pages_disagree"] is True
    over = Contradiction("value", new, old, True, "2026-04-01")
    text = printed(render_answer(replace(answer(Alternative("£2", evidence=(new,))), contradictions=(over,))))
    assert "This holds since 2026-04-01 in place of:" in text and text.count("It is £2.") == 1
    to_come = Contradiction("value", new, old, True, "2999-04-01")
    text = printed(render_answer(replace(answer(Alternative("£1", evidence=(old,))), contradictions=(to_come,))))
    assert "This is replaced from 2999-04-01 by:" in text
    text = printed(render_answer(replace(held, contradictions=(over,))))
    assert (
        text.index("Replaced since 2026-04-01:") < text.index("It is £1.") < text.index("by:") < text.index("It is £2.")
    )
    assert not pages_disagree(replace(held, contradictions=(over,)))


def test_cases_of_one_page_and_open_cases_do_not_disagree() -> None:
    one_page = answer(Alternative("£1", evidence=(evidence(),)), Alternative("£2", evidence=(evidence(),)))
    waiting = Alternative("no", JudgedLeaf(RENT, OPEN, evidence("b.html")), (evidence("b.html"),))
    assert not pages_disagree(one_page)
    assert not pages_disagree(answer(Alternative("yes", evidence=(evidence(),)), waiting))


def test_hostile_text_is_shown_not_obeyed() -> None:
    nasty = "\x1b[31m[bold red]x[/] :smile: \u202egnp"
    leaf = JudgedLeaf(Leaf("p-1-0", 0, 4, nasty), OPEN, evidence())
    text = printed(render_answer(answer(Alternative(nasty, leaf, (evidence(quote=nasty),)))))
    assert "\x1b" not in text and "\u202e" not in text
    assert text.count("[bold red]x[/] :smile:") == 3


def test_trace_is_one_line_a_step() -> None:
    assert printed(render_step(answer().trace[0])).strip() == "read: 1 ms\n  n: 1\n  why: a, b\n  left: none"
