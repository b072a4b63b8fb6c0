"""Every shipped prompt: parses, states its inputs, renders, and stays small."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator

from clausegraph.core.extraction import ExtractionInput
from clausegraph.core.language.wording import condition_words
from clausegraph.core.ontology import policy_ontology
from clausegraph.core.prompts import Prompt, shipped_examples, shipped_prompts
from clausegraph.core.tokens import count_tokens
from clausegraph.core.types import Modality
from clausegraph.ingestion.extract.llm.conditional import CONDITIONAL_SCHEMA, parse_conditional
from clausegraph.ingestion.extract.llm.lines import parse_triples, statements_of_lines
from clausegraph.ingestion.extract.llm.numbering import number_call, page_text, render_call
from tests.ingestion.llm.calls import chunk, element, grant_call

pytestmark = pytest.mark.unit

PROMPTS = shipped_prompts().all()
TRIPLETS = [prompt for prompt in PROMPTS if prompt.task.startswith("triplets-")]
FIXED_TOKENS = 834  # of the default prompt: every call pays them


@pytest.mark.parametrize("prompt", PROMPTS, ids=lambda prompt: prompt.id)
def test_states_its_inputs_and_renders(prompt: Prompt) -> None:
    assert set(prompt.inputs) == prompt.variables
    messages = prompt.render(**{name: f"«{name}»" for name in prompt.inputs})
    assert messages[-1].role == "user"
    whole = "\n".join(message.content for message in messages)
    assert all(f"«{name}»" in whole for name in prompt.inputs)


def rendered(prompt: Prompt, types: str = "") -> str:
    ontology = policy_ontology().guide
    messages = render_call(prompt, grant_call(), examples=shipped_examples(prompt), types=types, ontology=ontology)
    return "\n".join(message.content for message in messages)


@pytest.mark.parametrize("prompt", TRIPLETS, ids=lambda prompt: prompt.id)
def test_extraction_prompts(prompt: Prompt) -> None:
    whole = rendered(prompt)
    assert shipped_examples(prompt) and shipped_examples(prompt) in whole
    assert "Heating Grant" in whole and "you rent your home from a private landlord" in whole
    assert whole.count("<<<PAGE ") == whole.count("<<<END ") == 1
    assert ("<li>you are 18 or over</li>" in whole) is (prompt.task == "triplets-v1")


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


def test_the_example_of_the_default_prompt_is_right() -> None:
    """It is as a strict server sends it, its page as it is printed, and the parser takes the triple."""
    text = shipped_examples(shipped_prompts().get("triplets-conditional"))
    page, _, reply = text.removeprefix("Example page:\n# Mooring\n").partition("\nReply:")
    top, below = ("Day permit",), ("Day permit", "If you live abroad")
    elements = [
        element("e0", "Day permit", "h1"),
        element("e1", "If you live abroad", "h2", headings=top),
        element("e2", page.splitlines()[-1].removeprefix("3. "), headings=below),
    ]
    call = number_call([ExtractionInput("Mooring", below, tuple(elements))])
    assert page_text(call) == page
    Draft202012Validator(CONDITIONAL_SCHEMA).validate(json.loads(reply))
    (found,) = parse_conditional(reply, call, cut_off=False)
    assert found is not None and not found.rejects
    (made,) = found.statements
    assert (made.subject.written, made.modality, made.relation) == ("your", Modality.MAY, "gets")
    assert condition_words(made.condition) == (
        "(If you live abroad and your boat is insured and not the boat is over 9 metres)"
    )


def test_the_examples_of_the_plain_prompt_are_right() -> None:
    for example in shipped_examples(shipped_prompts().get("triplets-v1")).split("Example:")[1:]:
        text, _, reply = example.partition("Triplets:")
        triples, rejects = parse_triples(reply)
        assert triples and not rejects
        lines = [line for line in text.strip().splitlines() if line]
        source = chunk(*(element(f"e{i}", line) for i, line in enumerate(lines)), heading="")
        assert not statements_of_lines(triples, source).rejects
