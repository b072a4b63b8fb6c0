"""Published systems and baselines before a fake model: what they put into their prompts, and how replies are read."""

import json
import re
from typing import Any

import pytest

from clausegraph.core.errors import SettingsError, UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.types import Alternative, Answer, AnswerStatus
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import ENGINES, make_engine
from clausegraph.query.engines.prompt import AnswerForm, PromptContext, of_page, parse_summary
from clausegraph.query.retrieve.bank import make_retriever
from clausegraph.query.steps.reply import parse_turn
from tests.harness.fake_llm import FakeModelServer
from tests.query.engines.conftest import Asking

pytestmark = pytest.mark.integration

PRESETS = [entry.name for entry in ENGINES if entry.asks]
CITING = [entry.name for entry in ENGINES if entry.asks and not entry.free_text]
CALLS = {"react": 3, "hybgrag": 3, "vector-reranked": 2, "code-prompt": 2, "corrective-rag": 2, "chain-of-condition": 3}
INQUIRY = Inquiry("How much is the Winter Heating Grant?", "My mother is 84.")
LEAF = "you were born on or before 30 September 1961"


def script(answer: str, verdict: str = "correct") -> dict[str, Any]:
    return {
        "Which entities": {"entities": [], "relations": [], "kind": "fact"},
        "enough to answer": {"missing": "", "enough": True},
        "Put the numbered passages": {"order": [3, 1, "x", 99]},
        "Rewrite the page": "def grant(): pass",
        "hold what answers": {"verdict": verdict},
        "Identify the conditions": {"conditions": [{"id": "c1", "element": "e2"}], "logic": "c1"},
        "conditions of a rule": {"states": [{"id": "c1", "state": "open"}]},
        "first action": {"thought": "?", "action": "text", "query": "Winter Heating Grant"},
        "next action": {"thought": "found", "action": "answer", "query": ""},
        "of the listed steps": {"chosen": ["s1", "s99"]},
        "of the listed paths": {"chosen": ["s1"], "enough": False},
        "Answer the question": answer,
    }


def prompts(fake: FakeModelServer) -> list[str]:
    return ["".join(m["content"] for m in body["messages"]) for body in fake.last_requests(20)]


def all_cited(answer: Answer, view: View) -> bool:
    cited = [e for option in answer.alternatives for e in (*option.evidence, *option.sources)]
    return bool(cited) and all(view.reading(e.page).element(e.span.anchor) for e in cited)


@pytest.mark.parametrize("engine", CITING)
def test_every_preset_answers_within_its_calls(engine: str, asking: Asking) -> None:
    asking.script(script(f"£300\n- {LEAF}\n* words of no page"))
    answer = asking.engine(engine).ask(INQUIRY)
    assert answer.alternatives[0].text == "£300"
    assert all_cited(answer, asking.view)
    if engine != "think-on-graph":
        assert asking.fake.counters()["ok"] == CALLS.get(engine, 1)
    told = {name: value for step in answer.trace for name, value in step.detail.items()}
    assert told["calls"] == asking.fake.counters()["ok"]
    lost = (0,) if engine == "chain-of-condition" else (1, 2)  # not every preset has found the leaf; code has its own
    assert told["lines that are no element"] in lost


@pytest.mark.parametrize("engine", PRESETS)
def test_no_preset_does_without_a_model(engine: str, sample: View, hashing: HashingEmbedder) -> None:
    with pytest.raises(SettingsError, match=rf"engine '{engine}' asks a language model"):
        make_engine(sample, hashing, engine=engine)


def test_plain_rag_gives_the_reply_as_it_is_and_cites_nothing(asking: Asking) -> None:
    reply = "It is **£300** a year.\n\n- Claim by 31 March."
    asking.script({"not prior knowledge, answer the query": f"<think>hm</think>{reply}\n"})
    answer = asking.engine("plain-rag").ask(INQUIRY)
    assert (answer.status, answer.alternatives) == (AnswerStatus.ANSWERED, (Alternative(reply),))
    assert not (answer.sentences or answer.quotes or answer.extractors)
    (prompt,) = prompts(asking.fake)
    assert prompt.startswith("Context information is below.")
    assert f"{INQUIRY.scenario}\n{INQUIRY.question}" in prompt
    nearest = make_retriever("vector-chunks", asking.view, asking.embedder).retrieve(INQUIRY, limit=6)
    assert [hit.text in prompt for hit in nearest] == [True] * 5 + [False]


def test_plain_rag_refuses_an_empty_reply(asking: Asking) -> None:
    asking.script({"answer the query": "<think>hm</think>\n"})
    with pytest.raises(UnusableReply, match="empty"):
        asking.engine("plain-rag").ask(INQUIRY)


def test_hybridcontextqa_unites_five_chunks_and_thirty_triples(asking: Asking) -> None:
    asking.script(script("£300"))
    shown = {}
    for engine in ("vector-only", "kg-only", "hybridcontextqa"):
        answer = asking.engine(engine).ask(INQUIRY)
        read = answer.trace[-1].detail
        shown[engine] = (read["triples shown"], read["elements shown"])
    assert shown["vector-only"][0] == 0
    assert shown["kg-only"][0] == shown["hybridcontextqa"][0] == 30
    assert shown["hybridcontextqa"][1] > max(shown["vector-only"][1], shown["kg-only"][1])  # type: ignore[operator, call-overload]
    vector, graph, both = prompts(asking.fake)
    triples = re.compile(r"^\(.+\)$", re.MULTILINE)
    assert triples.findall(graph) == triples.findall(both)
    assert not triples.findall(vector)


@pytest.mark.parametrize("form", AnswerForm)
def test_each_form_has_its_prompt_and_its_shots(form: AnswerForm, asking: Asking) -> None:
    asking.script(script("Yes, she can"))
    options: dict[str, Any] = {"form": lambda _: form, "shots": {form: "Example of this form"}}
    answer = asking.engine("hybridcontextqa", **options).ask(INQUIRY)
    assert answer.alternatives[0].text == ("yes" if form.is_yes_no else "Yes, she can")
    assert answer.trace[-1].detail["prompt"] == form.value
    assert "Example of this form" in prompts(asking.fake)[0]


@pytest.mark.parametrize(("verdict", "triples"), [("correct", 0), ("incorrect", 30), ("ambiguous", 30)])
def test_corrective_rag_turns_to_the_graph(verdict: str, triples: int, asking: Asking) -> None:
    asking.script(script("£300", verdict))
    answer = asking.engine("corrective-rag").ask(INQUIRY)
    assert answer.trace[-1].detail["triples shown"] == triples


@pytest.mark.parametrize(("enough", "calls"), [(True, 4), (False, 8)])
def test_a_beam_goes_as_deep_as_the_model_wants(enough: bool, calls: int, asking: Asking) -> None:
    """Topics, then two calls a depth of three at most, then the answer."""
    replies = script("£300")
    replies["Which entities"] = {"entities": ["e1"], "relations": [], "kind": "fact"}
    replies["of the listed steps"] = {"chosen": ["s2", "s1", "s99", 4]}
    replies["of the listed paths"] = {"chosen": [f"s{number}" for number in range(40, 0, -1)], "enough": enough}
    asking.script(dict(sorted(replies.items(), key=lambda item: "listed" not in item[0])))
    answer = asking.engine("think-on-graph").ask(INQUIRY)
    assert answer.trace[-1].detail["calls"] == calls or not enough
    assert 4 <= int(answer.trace[-1].detail["calls"]) <= calls  # type: ignore[call-overload]
    assert 1 <= int(answer.trace[-1].detail["triples shown"]) <= 3  # type: ignore[call-overload]
    assert all_cited(answer, asking.view)


@pytest.mark.parametrize(
    ("states", "summary", "missing"),
    [
        ("open open contradicted", "depends on those that are open", 2),
        ("met open contradicted", "The conditions hold", 0),
        ("open open met", "do not hold", 0),
        ("contradicted open nonsense", "depends on those that are open", 2),
    ],
)
def test_code_solves_what_a_model_has_identified_and_verified(
    states: str, summary: str, missing: int, asking: Asking
) -> None:
    """(c1 or c2) and not c3; what is shown and not named is no condition, whatever else the reply says."""
    replies = script("£300\nwords of no page")
    listed = [{"id": f"c{n}", "element": f"e{n + 1}"} for n in (1, 2, 3)]
    logic = {"all": [{"any": ["c1", "c2", "c9"]}, {"not": "c3"}, {"any": ["c7"]}]}
    replies["Identify the conditions"] = {"conditions": [*listed, {"id": "c9", "element": "e999"}, 7], "logic": logic}
    said = [{"id": f"c{n}", "state": state} for n, state in enumerate(states.split(), 1)]
    replies["conditions of a rule"] = {"states": [*said, {"id": "c8", "state": "met"}, None]}
    asking.script(replies)
    answer = asking.engine("chain-of-condition").ask(INQUIRY)
    assert re.search(rf"\(\(c1 or c2\) and not c3\): .*{summary}", prompts(asking.fake)[-1])
    assert len(answer.alternatives[0].open_conditions) == missing
    assert answer.trace[-1].detail["prompt"] == AnswerForm.SPAN.value
    assert all_cited(answer, asking.view)


def test_react_takes_four_turns_at_most_and_reads_what_they_found(asking: Asking) -> None:
    """Text, names, triples, text again; each observation is the next message of one chat."""
    grant = "winter heating grant"
    turns = [
        {"thought": "?", "action": action, "query": grant} for action in ("text", "extract", "graph", "text", "text")
    ]
    asking.script([*turns[:4], "£300"])
    answer = asking.engine("react").ask(INQUIRY)
    told = answer.trace[-1].detail
    assert (told["calls"], told["triples shown"]) == (5, 10)
    observed = [body["messages"][-1]["content"] for body in asking.fake.last_requests(5)]
    assert "Winter Heating Grant >" in observed[1]
    assert "Entities: " in observed[2] and grant in observed[2] and "2 turns are left" in observed[2]
    assert re.search(r"^\(.+\)$", observed[3], re.MULTILINE)
    assert "Answer the question" in observed[4]
    assert all_cited(answer, asking.view)


@pytest.mark.parametrize("reply", ["Certainly!", {"action": "fly", "query": "x"}, {"action": "text", "query": " "}])
def test_what_react_cannot_read_ends_its_turns(reply: Any, asking: Asking) -> None:
    with pytest.raises(UnusableReply):
        parse_turn(json.dumps(reply) if isinstance(reply, dict) else reply)
    asking.script([reply, "£300"])
    answer = asking.engine("react").ask(INQUIRY)
    assert answer.trace[-1].detail["calls"] == 2
    assert all_cited(answer, asking.view)


@pytest.mark.parametrize("text", ["", "\n\n", "It depends.", "Ja", "{}"])
def test_what_commits_to_nothing_is_no_answer(text: str) -> None:
    with pytest.raises(UnusableReply):
        parse_summary(text, PromptContext("", ()), AnswerForm.YES_NO)


def test_a_condition_may_be_a_sentence_of_an_element(sample: View) -> None:
    """As the prompt asks for it; what is cited is the element."""
    context = of_page(sample.reading, next(key for key in sample.page_keys() if key.uri == "heating-grant.html"))
    texts = [one.element.text for one in context.shown]
    text, (start, end) = next(
        (text, spans[1])
        for text in texts
        if len(spans := sentence_spans(text)) > 1 and text[slice(*spans[1])] not in texts
    )
    said = parse_summary(f"yes\n{text[start:end]}\n{text[start : end - 8]}", context, AnswerForm.YES_NO_CONDITIONS)
    assert ([one.element.text for one in said.conditions], said.unknown) == ([text], 1)


@pytest.mark.parametrize(
    ("text", "form", "wanted"),
    [
        ("<think>hm</think>\n1. No.", AnswerForm.YES_NO, "no"),
        ("**Yes**", AnswerForm.YES_NO_CONDITIONS, "yes"),
        ("<p>42 days</p>", AnswerForm.SPAN, "42 days"),
        ("<<<PAGE 4c8015>>>\n42 days\n<<<END 4c8015>>>", AnswerForm.SPAN, "42 days"),
        ("x" * 10_000, AnswerForm.SPAN, "x" * 600),
    ],
)
def test_replies_are_read(text: str, form: AnswerForm, wanted: str) -> None:
    assert parse_summary(text, PromptContext("", ()), form).text == wanted
