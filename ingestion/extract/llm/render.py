"""A numbered call as the messages of an extraction prompt."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from core.errors import PromptError
from core.extraction import InputElement
from core.prompts import Prompt, PromptMessage, shipped_folder
from ingestion.extract.llm.numbering import Call, element_text, page_text, visible

_EXAMPLES = "examples"  # folder beside the prompts, and the input that is filled from it


def render_call(prompt: Prompt, call: Call, *, examples: str, types: str, max_triplets: int) -> list[PromptMessage]:
    """The messages that ask for the triplets of a call; each prompt gets the inputs it declares.

    ``page`` is the numbered page, ``text`` the plain lines and ``html`` the tagged lines of its elements,
    ``headings`` the heading path of its first chunk.

    Raises:
        PromptError: the prompt declares an input that extraction does not have, or cannot be rendered.
    """
    made: dict[str, Callable[[], object]] = {
        "title": lambda: visible(call.inputs[0].title),
        "headings": lambda: visible(" > ".join(call.inputs[0].headings)),
        "page": lambda: page_text(call),
        "text": lambda: _lines(call, element_text),
        "html": lambda: _lines(call, _tagged),
        "examples": lambda: examples,
        "types": lambda: types,
        "max_triplets": lambda: max_triplets,
    }
    foreign = [name for name in prompt.inputs if name not in made]
    if foreign:
        raise PromptError(
            f"prompt {prompt.id} ({prompt.path}) declares input {foreign[0]!r}; extraction has: {', '.join(made)}"
        )
    return prompt.render(**{name: made[name]() for name in prompt.inputs})


def shipped_examples(prompt: Prompt) -> str:
    """The few-shot examples ``examples/<task>.txt`` beside the prompt, else those shipped for its task, else none.

    Raises:
        PromptError: the file is there and cannot be read.
    """
    name = f"{prompt.task}.txt"
    for folder in (prompt.path.parent, shipped_folder()):
        path = folder / _EXAMPLES / name
        if path.is_file():
            return read_examples(path)
    return ""


def read_examples(path: Path) -> str:
    """The few-shot examples of a file.

    Raises:
        PromptError: the file cannot be read.
    """
    try:
        return path.read_text("utf-8-sig").strip("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise PromptError(f"the examples {path} cannot be read: {error}") from error


def _lines(call: Call, write: Callable[[InputElement], str]) -> str:
    return "\n".join(write(item.element) for item in call.printed)


def _tagged(element: InputElement) -> str:
    return f"<{element.tag}>{element_text(element)}</{element.tag}>"
