"""Answers, condition trees and steps for people: terminal, Markdown and plain text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar
from urllib.parse import quote

from clausegraph.core.presentation.answer import Presentation, PresentedSource, present
from clausegraph.core.presentation.quoted_parts import LineKind, PresentedLine, PresentedTable
from clausegraph.core.presentation.wording import MARKS
from clausegraph.core.text import clean, one_line
from clausegraph.core.types import Answer, Evidence, JudgedLeaf, Leaf, TraceStep, Tree, fold

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text
    from rich.tree import Tree as Drawn


L = TypeVar("L", Leaf, JudgedLeaf)
_PLAIN, _MARKS = "[]", "\ue000\ue001"  # around the number of a quote; the marks are private to this module
_ADDRESS = "/:?#@!$&'*+,;=%~"  # characters that stay as they are in an address
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~])")


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line of an answer: ``style`` is bold, plain, item, quote or dim; or a table, of which ``text`` is the place."""

    style: str
    text: str
    depth: int = 0
    table: PresentedTable | None = None


def lines(
    shown: Presentation, *, found: bool = False, tables: bool = False, around: str = _PLAIN
) -> Iterator[PrintedLine]:
    """All that an answer says, line by line.

    Args:
        around: the two characters around the number of a quote.
        found: adds how it came about.
        tables: a table stands in the place of the lines that name its cells.
    """
    for typed, read in shown.corrections:
        yield PrintedLine("dim", f"“{one_line(typed)}” was read as “{one_line(read)}”")
    for line in (*shown.headline, *shown.disputed):
        yield from _line(line, around, tables=tables)
    if shown.for_you:
        yield PrintedLine("plain", "You said: " + "; ".join(map(one_line, shown.for_you)))
    if len(shown.check) == 1:
        yield PrintedLine("plain", f"Check: {shown.check[0]}")
    elif shown.check:
        yield PrintedLine("plain", "Check:")
        yield from (PrintedLine("item", question) for question in shown.check)
    if shown.next:
        yield PrintedLine("plain", f"Next: {_prose(shown.next, around)}")
    for source in shown.sources:
        yield from _source(source, around, tables=tables)
    if shown.more:  # not asked for, so below all that was
        yield PrintedLine("dim", f"More: {_prose(shown.more, around)}")
    if shown.calculations:
        yield PrintedLine("dim", f"Worked out: {'; '.join(shown.calculations)}")
    if found:
        yield from (PrintedLine("dim", text) for text in shown.found)


def _prose(sentences: Sequence[PresentedLine], around: str) -> str:
    return " ".join(f"{line.text}{_numbers(line, around)}" for line in sentences)


def _line(line: PresentedLine, around: str, *, tables: bool) -> Iterator[PrintedLine]:
    text = f"{line.text}{_numbers(line, around)}"
    match line.kind:
        case _ if tables and line.is_in_table:
            yield from _table(line.table)
        case LineKind.SENTENCE:
            yield PrintedLine("bold", text)
        case LineKind.NOTE:
            yield PrintedLine("plain", text, line.depth)
        case LineKind.QUOTE:
            yield PrintedLine("quote", text, line.depth + 1)
        case LineKind.PLACE | LineKind.ITEM | LineKind.CONDITION:
            yield PrintedLine("item", text, line.depth)


def _table(table: PresentedTable | None) -> Iterator[PrintedLine]:
    if table is not None:
        yield PrintedLine("table", table.place, 0, table)


def _numbers(line: PresentedLine, around: str) -> str:
    return " " + "".join(f"{around[0]}{number}{around[1]}" for number in line.citations) if line.citations else ""


def _source(source: PresentedSource, around: str, *, tables: bool) -> Iterator[PrintedLine]:
    """The page once, and below it its quotes by number, unless they stand above."""
    dated = f", updated {source.updated}" if source.updated else ""
    yield PrintedLine("plain", f"Source: {source.title}{dated} · {source.address}")
    for line in source.lines:
        if tables and line.is_in_table:
            yield from _table(line.table)
        else:
            yield PrintedLine("quote", f"{_numbers(line, around)} {line.text}".strip(), line.depth)


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


def answer_markdown(answer: Answer, link: Callable[[Evidence], str] | None = None) -> str:
    """The same lines as Markdown, tables as tables; nothing of a page is taken for markup.

    ``link`` is the address to which the number of a quote leads.
    """
    shown, blocks = present(answer), []
    was_listed = False
    for said in lines(shown, tables=True, around=_MARKS):
        is_listed = said.table is None and (said.style in {"item", "quote"} or said.depth > 0)
        if not is_listed or not was_listed:
            blocks.append("")
        if said.table is not None:
            blocks += _markdown_table(said.table)
        else:
            around = {"bold": "**", "dim": "*"}.get(said.style, "")
            text = markdown_text(said.text)
            blocks.append(f"{'  ' * said.depth}* {text}" if is_listed else f"{around}{text}{around}")
        was_listed = is_listed
    whole = "\n".join(blocks).strip() + "\n"
    for one in (citation for source in shown.sources for citation in source.citations):
        number = f"\\[{one.number}\\]"
        if link is not None:  # a bracket, a space or an angle of the address would end the link
            number = f"[{number}]({quote(link(one.evidence), safe=_ADDRESS)})"
        whole = whole.replace(f"{_MARKS[0]}{one.number}{_MARKS[1]}", number)
    return whole


def markdown_text(text: str) -> str:
    """Text of which nothing is markup."""
    return _MARKDOWN.sub(r"\\\1", clean(text))


def _markdown_table(table: PresentedTable) -> Iterator[str]:
    """The rows below their heads, the cited ones in bold with their numbers."""
    if table.place:
        yield from (f"{markdown_text(table.place)}:", "")
    number = f" {_MARKS[0]}{table.number}{_MARKS[1]}" if table.number else ""
    heads = [f"{table.heads[0]}{number}".strip(), *table.heads[1:]]
    yield f"| {' | '.join(map(markdown_text, heads))} |"
    yield "|---" * len(heads) + "|"
    for row in table.rows:
        cells = [markdown_text(cell) for cell in row.cells] or [
            f"*{markdown_text(row.note)}*",
            *[""] * (len(heads) - 1),
        ]
        if row.number:
            cells = [f"**{cell}**" if cell else "" for cell in cells]
            cells[0] = f"{cells[0]} {_MARKS[0]}{row.number}{_MARKS[1]}".strip()
        yield f"| {' | '.join(cells)} |"


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


def condition_tree(condition: Tree[L], title: str) -> Drawn:
    """The tree as people read it: one line a leaf, with its mark and page where it is judged."""
    from rich.text import Text
    from rich.tree import Tree as Drawn

    def group(kind: str, parts: list[Drawn]) -> Drawn:
        branch = Drawn(Text("not:" if kind == "not" else f"{kind} of:"))
        branch.children += parts
        return branch

    def leaf(found: Leaf | JudgedLeaf) -> Drawn:
        if isinstance(found, Leaf):
            return Drawn(Text(one_line(found.words)))
        place = one_line(found.source.title or found.source.page, 60)
        return Drawn(Text(f"{MARKS[found.state]}: {one_line(found.leaf.text)} ({place})"))

    root = Drawn(Text(title))
    root.children.append(fold(condition, leaf, group))
    return root
