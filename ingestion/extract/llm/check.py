"""A second, independent look at what a model stated: what it finds wrong is a passage, and claims nothing.

The model sees the page and the triples, not how they came about. Of each it says what the page says there, then whether
the triple may stand. It can only take away: nothing it says is put into a statement, and a triple on which it says
nothing does not stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import Extraction, Reject
from clausegraph.core.language.normalise import visible
from clausegraph.core.language.wording import condition_words, relation_words
from clausegraph.core.models.json_text import read_json
from clausegraph.core.prompts import Prompt, PromptMessage
from clausegraph.core.types import Literal, Statement
from clausegraph.ingestion.extract.llm.items import MOST_ITEMS, described, element_number, exact_object, left_of, told
from clausegraph.ingestion.extract.llm.numbering import Call, cut, page_text

TASK = "check-triplets"
_VERDICT = exact_object(triple={"type": "integer"}, page={"type": "string"}, wrong={"type": "string"})
SCHEMA = ("check", exact_object(triples={"type": "array", "items": _VERDICT}))
_SILENT = "the model says nothing of it when it looks again"

Found = Sequence[Extraction | None]  # of a call, by chunk


def stated(found: Found) -> list[Statement]:
    """The statements of a call, each once, in the order of its chunks: the first is number 1."""
    return list(dict.fromkeys(statement for one in found if one is not None for statement in one.statements))


def render_check(prompt: Prompt, call: Call, found: Found) -> list[PromptMessage]:
    """The messages that show a model the page and what was stated of it."""
    numbers = {(chunk, label): number for chunk, labels in enumerate(call.labels) for number, label in labels.items()}
    lines: dict[Statement, set[int]] = {}
    for chunk, one in enumerate(found):
        for statement in one.statements if one is not None else ():
            cited = {numbers.get((chunk, span.anchor), 0) for span in statement.spans} - {0}
            lines.setdefault(statement, set()).update(cited)
    cites = {one: ", ".join(map(str, sorted(numbers))) for one, numbers in lines.items()}
    shown = [f"{number}. {_words(one)} [{cites[one]}]" for number, one in enumerate(stated(found), 1)]
    title = cut(visible(call.inputs[0].title))
    return prompt.render(title=title, page=page_text(call), triples="\n".join(shown))


def checked(text: str, found: Found) -> list[Extraction | None]:
    """The extractions without what a reply does not let stand, which becomes passages.

    Raises:
        UnusableReply: the reply says nothing that can be read; then nothing of the call is known to hold.
    """
    try:
        read = read_json(text)
    except UnusableReply as error:
        raise UnusableReply(f"the check of what was stated: {error}") from error
    verdicts = read.value.get("triples") if isinstance(read.value, dict) else read.value
    if not read.complete or not isinstance(verdicts, list):
        raise UnusableReply(f'the reply of the check has no "triples": {described(read.value)}')
    every = dict(enumerate(stated(found), 1))
    reasons: dict[int, str] = {}  # by number; "" for what holds
    foreign: list[Reject] = []
    for item in verdicts[:MOST_ITEMS]:
        number = element_number(item.get("triple")) if isinstance(item, dict) else None
        if number is None or number not in every:
            foreign.append(Reject("check", f"the model judges a triple that there is not: {described(item)}"))
        else:
            reasons[number] = reasons.get(number) or _why(item.get("wrong", True))
    falls = {one: why for number, one in every.items() if (why := reasons.get(number, _SILENT))}
    first = next(one for one in found if one is not None)  # tells of the verdicts that belong to no chunk
    return [one and _without(one, falls, foreign if one is first else []) for one in found]


def _without(made: Extraction, reasons: dict[Statement, str], more: list[Reject]) -> Extraction:
    gone = [one for one in made.statements if one in reasons]
    rejects = [Reject(cut(_words(one)), reasons[one]) for one in gone]
    return replace(
        made,
        statements=tuple(one for one in made.statements if one not in reasons),
        rejects=told((*made.rejects, *rejects, *more)),
        passages=tuple(dict.fromkeys((*made.passages, *map(left_of, gone)))),
    )


def _why(wrong: Any) -> str:
    """What a verdict says against a triple; nothing for one that holds."""
    if wrong is None or wrong is False or wrong == "":
        return ""
    return f"the model finds it wrong: {described(wrong) if isinstance(wrong, str) else 'it does not say why'}"


def _words(statement: Statement) -> str:
    target = statement.object
    named = target.value if isinstance(target, Literal) else target.surface
    parts = [statement.subject.surface, relation_words(statement), named]
    parts += [f"if {condition_words(statement.condition)}"] if statement.condition else []
    dates = (("from", statement.effective_from), ("to", statement.effective_to))
    return visible(" | ".join([*parts, *(f"{word} {day}" for word, day in dates if day)]))
