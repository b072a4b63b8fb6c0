"""Every shipped prompt: parses, states its inputs, renders, and stays small."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from clausegraph.core.extraction import ExtractionInput
from clausegraph.core.language.wording import condition_words
from clausegraph.core.ontology import policy_ontology
from clausegraph.core.prompts import Prompt, shipped_examples, shipped_prompts
from clausegraph.core.tokens import count_tokens
from clausegraph.core.types import All, AnyOf, Leaf, Literal, Modality, Not, leaves
from clausegraph.ingestion.extract.llm.conditional.parse import (
    parse_clear,
    parse_conditional,
    parse_doubted,
    parse_nothing_twice,
    parse_stand_alone,
)
from clausegraph.ingestion.extract.llm.conditional.schema import CLEAR_SCHEMA, DOUBTED_SCHEMA, STAND_ALONE_SCHEMA
from clausegraph.ingestion.extract.llm.lines.parse import parse_triples, statements_of_lines
from clausegraph.ingestion.extract.llm.numbering import number_call, page_text
from clausegraph.ingestion.extract.llm.render import render_call
from clausegraph.ingestion.extract.llm.tasks import Parse
from tests.ingestion.llm.calls import chunk, element, grant_call

pytestmark = pytest.mark.unit

PROMPTS = shipped_prompts().all()
TRIPLETS = [prompt for prompt in PROMPTS if prompt.task.startswith("triplets-")]
FIXED_TOKENS = 834  # of the default prompt: every call pays them

RELEASED = """<<<PAGE ac3b77>>>
# Heating Grant
## Eligibility
1. You can get the Heating Grant if all of these apply:
2- you are 18 or over
3- you live in Lethmoor
4. The grant pays £210 a year, unless you live in a care home. It is paid by the council.
5. You cannot claim after 31 March 2026.
6- you rent your home from a private landlord
7. The council pays the Heating Grant in winter.
## How to claim
8. Send form HG1 to the council office.
<<<END ac3b77>>>"""


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.id)
def test_states_its_inputs_and_renders(prompt: Prompt) -> None:
    assert set(prompt.inputs) == prompt.variables
    messages = prompt.render(**{name: f"«{name}»" for name in prompt.inputs})
    assert messages[-1].role == "user"
    whole = "\n".join(message.content for message in messages)
    assert all(f"«{name}»" in whole for name in prompt.inputs)


def rendered(prompt: Prompt, types: str = "") -> str:
    ontology = policy_ontology().guide
    messages = render_call(
        prompt, grant_call(), examples=shipped_examples(prompt), types=types, max_triplets=25, ontology=ontology
    )
    return "\n".join(message.content for message in messages)


@pytest.mark.parametrize("prompt", TRIPLETS, ids=lambda prompt: prompt.id)
def test_extraction_prompts(prompt: Prompt) -> None:
    whole = rendered(prompt)
    assert shipped_examples(prompt) and shipped_examples(prompt) in whole
    assert "Heating Grant" in whole and "you rent your home from a private landlord" in whole
    assert ("up to 25 knowledge triplets" in whole) is ("max_triplets" in prompt.inputs)
    assert whole.count("<<<PAGE ") == whole.count("<<<END ") == 1
    assert ("<li>you are 18 or over</li>" in whole) is (prompt.task in ("triplets-v1", "triplets-v2"))


def test_the_default_prompt_is_small() -> None:
    prompt = shipped_prompts().get("triplets-conditional")
    ontology = policy_ontology().guide
    messages = prompt.render(title="", page="", examples=shipped_examples(prompt), types="", ontology=ontology)
    assert sum(count_tokens(message.content) for message in messages) <= FIXED_TOKENS


def test_types_are_optional() -> None:
    prompt = shipped_prompts().get("triplets-conditional")
    assert "Prefer these" not in rendered(prompt) and "Prefer these" in rendered(prompt, "Types: ship.")


def test_the_default_prompt_offers_the_types_of_the_ontology() -> None:
    assert policy_ontology().guide in rendered(shipped_prompts().get("triplets-conditional"))


@pytest.mark.parametrize(
    ("version", "schema", "parse"), [(4, CLEAR_SCHEMA, parse_clear), (5, DOUBTED_SCHEMA, parse_doubted)]
)
def test_the_example_of_a_version_is_right(version: int, schema: dict[str, Any], parse: Parse) -> None:
    """It is as a strict server sends it, its page as it is printed, and the parser takes the triple."""
    text = shipped_examples(shipped_prompts().get(f"triplets-conditional.v{version}"))
    page, _, reply = text.removeprefix("Example page:\n# Mooring\n").partition("\nReply:")
    top, below = ("Day permit",), ("Day permit", "If you live abroad")
    elements = [
        element("e0", "Day permit", "h1"),
        element("e1", "If you live abroad", "h2", headings=top),
        element("e2", page.splitlines()[-1].removeprefix("3. "), headings=below),
    ]
    call = number_call([ExtractionInput("Mooring", below, tuple(elements))], by_headings=True)
    assert page_text(call) == page
    Draft202012Validator(schema).validate(json.loads(reply))
    (found,) = parse(reply, call, cut_off=False)
    assert found is not None and not found.rejects
    (made,) = found.statements
    assert (made.subject.written, made.modality, made.relation) == ("your", Modality.MAY, "gets")
    assert condition_words(made.condition) == (
        "(If you live abroad and your boat is insured and not the boat is over 9 metres)"
    )


def test_the_example_of_the_third_version_is_right() -> None:
    text = shipped_examples(shipped_prompts().get("triplets-conditional.v3"))
    page, _, reply = text.removeprefix("Example page:\n# Mooring\n").partition("\nReply:")
    top, below = ("Day permit",), ("Day permit", "If you live abroad")
    elements = [
        element("e0", "Day permit", "h1"),
        element("e1", "If you live abroad", "h2", headings=top),
        element("e2", "Once your boat is insured, you can get a permit unless it is:", headings=below),
        element("e3", "over 9 metres", "li", "e2", headings=below),
        element("e4", "a houseboat", "li", "e2", headings=below),
    ]
    call = number_call([ExtractionInput("Mooring", below, tuple(elements))], by_headings=True)
    assert page_text(call) == page
    Draft202012Validator(STAND_ALONE_SCHEMA).validate(json.loads(reply))
    (found,) = parse_nothing_twice(reply, call, cut_off=False)
    assert found is not None and not found.rejects
    (made,) = found.statements
    assert (made.subject.written, made.modality, made.relation) == ("your", Modality.MAY, "gets")
    assert isinstance(made.condition, All) and made.condition.children[-1] == Not(
        AnyOf((Leaf("e3", 0, 13, "over 9 metres"), Leaf("e4", 0, 11, "a houseboat")))
    )
    assert [leaf.anchor for leaf in leaves(made.condition)] == ["e1", "e2", "e3", "e4"]


def test_the_examples_of_the_second_version_are_right() -> None:
    text = shipped_examples(shipped_prompts().get("triplets-conditional.v2"))
    page, _, reply = text.removeprefix("Example page:\n# Mooring\n").partition("\nReply:")
    top, below = ("Day permit",), ("Day permit", "If you live abroad")
    elements = [
        element("e0", "Day permit", "h1"),
        element("e1", "If you live abroad", "h2", headings=top),
        element("e2", "You can get a day permit if your boat is:", headings=below),
        element("e3", "insured", "li", "e2", headings=below),
        element("e4", "under 9 metres", "li", "e2", headings=below),
        element("e5", "Unless you pay online, it costs £12.", headings=below),
    ]
    call = number_call([ExtractionInput("Mooring", below, tuple(elements))], by_headings=True)
    assert page_text(call) == page
    Draft202012Validator(STAND_ALONE_SCHEMA).validate(json.loads(reply))
    (found,) = parse_stand_alone(reply, call, cut_off=False)
    assert found is not None and not found.rejects
    first, second = found.statements
    assert (first.subject.written, first.modality, first.relation) == ("you", Modality.MAY, "gets")
    assert [leaf.anchor for leaf in leaves(first.condition)] == ["e1", "e3", "e4"]
    assert (second.object, [leaf.anchor for leaf in leaves(second.condition)]) == (
        Literal("£12", "amount"),
        ["e1", "e5"],
    )


@pytest.mark.parametrize(
    ("version", "digest"),
    [(1, "584336c7d13bd2bb"), (2, "aa11a2a178ce76a6"), (3, "287faaccd7e6b097"), (4, "c7337aefcc20ee48")],
)
def test_earlier_versions_are_printed_as_they_were_released(version: int, digest: str) -> None:
    """Byte by byte: replies that were paid for are found by what was asked."""
    prompt = shipped_prompts().get(f"triplets-conditional.v{version}")
    system, user = render_call(prompt, grant_call(), examples=shipped_examples(prompt), types="", max_triplets=25)
    assert hashlib.sha256(system.content.encode()).hexdigest()[:16] == digest
    assert user.content == RELEASED


def test_the_examples_of_the_first_version_are_right() -> None:
    text = shipped_examples(shipped_prompts().get("triplets-conditional.v1"))
    page, _, reply = text.partition("Reply:")
    lines = [line.split(" ", 1)[1] for line in page.splitlines() if line[:1].isdigit()]
    call = number_call(
        [chunk(*(element(f"e{i}", line) for i, line in enumerate(lines)), heading="Mooring > Day permit")]
    )
    (found,) = parse_conditional(reply, call, cut_off=False)
    assert found is not None and len(found.statements) == reply.count('"subject":') >= 3
    assert [s.polarity for s in found.statements].count(False) == 1
    assert [s.condition is not None for s in found.statements] == [True, True, False]
    assert not found.rejects


@pytest.mark.parametrize("task", ["triplets-default", "triplets-v1", "triplets-v2"])
def test_the_examples_of_the_papers_prompts_are_right(task: str) -> None:
    for example in shipped_examples(shipped_prompts().get(task)).split("Example:")[1:]:
        text, _, reply = example.partition("Triplets:")
        triples, rejects = parse_triples(reply)
        assert triples and not rejects
        lines = [line for line in text.strip().splitlines() if line]
        source = chunk(*(element(f"e{i}", line) for i, line in enumerate(lines)), heading="")
        assert not statements_of_lines(triples, source).rejects
