"""A ``Presentation`` on a terminal or as Markdown: the same lines in both; and the steps of an engine."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clausegraph.core.presentation.answer import (
    LineKind,
    Presentation,
    PresentedLine,
    PresentedSource,
    is_row,
    place_of,
    present,
    quote_words,
)
from clausegraph.core.text import clean, one_line
from clausegraph.core.types import Answer, TraceStep

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text

_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~])")


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line of an answer: ``style`` is bold, plain, item, quote or dim."""

    style: str
    text: str
    depth: int = 0


def lines(shown: Presentation, *, found: bool = False) -> Iterator[PrintedLine]:
    """All that an answer says, line by line; ``found`` adds how it came about."""
    for typed, read in shown.corrections:
        yield PrintedLine("dim", f"“{one_line(typed)}” was read as “{one_line(read)}”")
    for line in (*shown.headline, *shown.disputed):
        yield _line(line, "bold")
    if shown.for_you:
        yield PrintedLine("plain", "You said: " + "; ".join(map(one_line, shown.for_you)))
    if len(shown.check) == 1:
        yield PrintedLine("plain", f"Check: {shown.check[0]}")
    elif shown.check:
        yield PrintedLine("plain", "Check:")
        yield from (PrintedLine("item", question) for question in shown.check)
    for label, part in (("Next", shown.next), ("More", shown.more)):
        if part:
            yield PrintedLine("plain", f"{label}: {' '.join(f'{line.text}{_numbers(line)}' for line in part)}")
    for source in shown.sources:
        yield from _source(source)
    if shown.calculations:
        yield PrintedLine("dim", f"Worked out: {'; '.join(shown.calculations)}")
    if found:
        yield from (PrintedLine("dim", text) for text in shown.found)


def _line(line: PresentedLine, style: str) -> PrintedLine:
    text = f"{line.text}{_numbers(line)}"
    match line.kind:
        case LineKind.SENTENCE:
            return PrintedLine(style, text)
        case LineKind.NOTE:
            return PrintedLine("plain", text, line.depth)
        case LineKind.QUOTE:
            return PrintedLine("quote", text, line.depth + 1)
        case LineKind.PLACE | LineKind.ITEM:
            return PrintedLine("item", text, line.depth)


def _numbers(line: PresentedLine) -> str:
    return " " + "".join(f"[{number}]" for number in line.citations) if line.citations else ""


def _source(source: PresentedSource) -> Iterator[PrintedLine]:
    """The page once, and below it its quotes by number, unless they stand above."""
    dated = f", updated {source.updated}" if source.updated else ""
    yield PrintedLine("plain", f"Source: {source.title}{dated} · {source.address}")
    before = ("", "")
    for citation in source.citations:
        if citation.is_shown:
            continue
        evidence = citation.evidence
        section = " › ".join(place_of(evidence)[1:])
        lead = "" if is_row(evidence) or evidence.lead_in == evidence.quote else one_line(evidence.lead_in)
        opening = f"{section}: " if section else ""
        opening += f"“{lead}” … " if lead else ""
        if (section, lead) == before and lead:
            opening = "… "  # another item of the list above
        before = section, lead
        yield PrintedLine("quote", f"[{citation.number}] {opening}“{quote_words(evidence)}”", 0)
        cited = any(one.evidence.lead_in and one.evidence.lead_in in evidence.quote for one in source.citations)
        listed = evidence.quote.rstrip().endswith(":") and not cited
        for depth, item in evidence.nested_items if listed else ():
            yield PrintedLine("quote", f"“{one_line(item)}”", depth)


def render_answer(answer: Answer, *, found: bool = False) -> Group:
    """What ``ask`` prints."""
    from rich.console import Group
    from rich.text import Text

    shown = []
    for said in lines(present(answer), found=found):
        indent = "  " * (said.depth + (said.style in ("item", "quote")))
        style = said.style if said.style in ("bold", "dim") else ""
        shown.append(Text(f"{indent}{clean(said.text)}", style=style))
    return Group(*shown)


def answer_markdown(answer: Answer) -> str:
    """The same lines as Markdown; nothing of a page is taken for markup."""
    shown = []
    for said in lines(present(answer)):
        text = _MARKDOWN.sub(r"\\\1", clean(said.text))
        listed = said.style in {"item", "quote"} or said.depth > 0
        around = {"bold": "**", "dim": "*"}.get(said.style, "")
        shown.append(f"{'  ' * said.depth}* {text}" if listed else f"{around}{text}{around}\n")
    return "\n".join(shown).rstrip() + "\n"


def answer_text(answer: Answer) -> str:
    """The same lines as plain text."""
    said = lines(present(answer))
    return "\n".join(f"{'  ' * (one.depth + (one.style in ('item', 'quote')))}{clean(one.text)}" for one in said)


def render_step(step: TraceStep) -> Text:
    """A step of the engine with its milliseconds."""
    from rich.text import Text

    told = [f"  {one_line(name)}: {one_line(_figure(value), 400)}" for name, value in step.detail.items()]
    return Text("\n".join([f"{step.name}: {step.milliseconds:.0f} ms", *told]), style="dim")


def _figure(value: object) -> object:
    return (", ".join(map(str, value)) or "none") if isinstance(value, (list, tuple)) else value
