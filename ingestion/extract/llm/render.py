"""A numbered call as the messages of an extraction prompt."""

from __future__ import annotations

from collections.abc import Callable

from clausegraph.core.errors import PromptError
from clausegraph.core.language.normalise import visible
from clausegraph.core.prompts import Prompt, PromptMessage
from clausegraph.ingestion.extract.llm.numbering import Call, cut, element_text, page_text


def render_call(prompt: Prompt, call: Call, *, examples: str, types: str, ontology: str = "") -> list[PromptMessage]:
    """The messages that ask for the triplets of a call; each prompt gets the inputs it declares.

    ``page`` is the numbered page, ``html`` the tagged lines of its elements, ``headings`` the heading path of its first
    chunk; ``ontology`` are the types of entities, ``types`` those to prefer.

    Raises:
        PromptError: the prompt declares an input that extraction does not have, or cannot be rendered.
    """
    made: dict[str, Callable[[], object]] = {
        "title": lambda: cut(visible(call.inputs[0].title)),
        "headings": lambda: cut(visible(" > ".join(call.inputs[0].headings))),
        "page": lambda: page_text(call),
        "html": lambda: _tagged_lines(call),
        "examples": lambda: examples,
        "types": lambda: types,
        "ontology": lambda: ontology,
    }
    foreign = [name for name in prompt.inputs if name not in made]
    if foreign:
        raise PromptError(
            f"prompt {prompt.id} ({prompt.path}) declares input {foreign[0]!r}; extraction has: {', '.join(made)}"
        )
    return prompt.render(**{name: made[name]() for name in prompt.inputs})


def _tagged_lines(call: Call) -> str:
    elements = [item.element for item in call.printed if not item.element.label.startswith("h")]  # without those above
    return "\n".join(f"<{element.tag}>{element_text(element)}</{element.tag}>" for element in elements)
