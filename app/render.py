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
_ADDRESS = "/:?#@!$&'*+,;=%~"  # characters that stay as they are in an address
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~])")


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line of an answer: ``style`` is bold, plain, item, quote or dim; or a table, of which ``text`` is the place."""

    style: str
    text: str
    depth: int = 0
    table: PresentedTable | None = None


@dataclass(frozen=True, slots=True)
class Markup:
    """How the words of an answer and the number of a citation are written."""

    words: Callable[[str], str] = str
    number: Callable[[int], str] = "[{}]".format

    def cited(self, line: PresentedLine) -> str:
        """The words of a line with the numbers of its citations."""
        return self.words(line.text) + self.numbers(line)

    def numbers(self, line: PresentedLine) -> str:
        """The numbers alone, behind a space; nothing without any."""
        return " " + "".join(map(self.number, line.citations)) if line.citations else ""

    def prose(self, sentences: Sequence[PresentedLine]) -> str:
        """Sentences one behind the other."""
        return " ".join(map(self.cited, sentences))


PLAIN = Markup()


def lines(
    shown: Presentation, *, found: bool = False, tables: bool = False, markup: Markup = PLAIN
) -> Iterator[PrintedLine]:
    """All that an answer says, line by line.

    Args:
        found: adds how it came about.
        tables: a table stands in the place of the lines that name its cells.
    """
    words = markup.words
    for typed, read in shown.corrections:
        yield PrintedLine("dim", words(f"“{one_line(typed)}” was read as “{one_line(read)}”"))
    for line in (*shown.headline, *shown.disputed):
        yield from _line(line, markup, tables=tables)
    if shown.for_you:
        yield PrintedLine("plain", words("You said: " + "; ".join(map(one_line, shown.for_you))))
    if len(shown.check) == 1:
        yield PrintedLine("plain", words(f"Check: {shown.check[0]}"))
    elif shown.check:
        yield PrintedLine("plain", "Check:")
        yield from (PrintedLine("item", words(question)) for question in shown.check)
    if shown.next:
        yield PrintedLine("plain", f"Next: {markup.prose(shown.next)}")
    for source in shown.sources:
        yield from _source(source, markup, tables=tables)
    if shown.more:  # not asked for, so below all that was
        yield PrintedLine("dim", f"More: {markup.prose(shown.more)}")
    if shown.calculations:
        yield PrintedLine("dim", words(f"Worked out: {'; '.join(shown.calculations)}"))
    if found:
        yield from (PrintedLine("dim", words(text)) for text in shown.found)


def _line(line: PresentedLine, markup: Markup, *, tables: bool) -> Iterator[PrintedLine]:
    text = markup.cited(line)
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


def _source(source: PresentedSource, markup: Markup, *, tables: bool) -> Iterator[PrintedLine]:
    """The page once, and below it its quotes by number, unless they stand above."""
    dated = f", updated {source.updated}" if source.updated else ""
    yield PrintedLine("plain", markup.words(f"Source: {source.title}{dated} · {source.address}"))
    for line in source.lines:
        if tables and line.is_in_table:
            yield from _table(line.table)
        else:
            yield PrintedLine("quote", f"{markup.numbers(line)} {markup.words(line.text)}".strip(), line.depth)


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

    Args:
        link: the address to which the number of a quote leads; None: nowhere.
    """
    shown, blocks = present(answer), []
    quotes = {one.number: one.evidence for source in shown.sources for one in source.citations}

    def number(one: int) -> str:
        text = markdown_text(f"[{one}]")
        # a bracket, a space or an angle of the address would end the link
        return text if link is None else f"[{text}]({quote(link(quotes[one]), safe=_ADDRESS)})"

    was_listed, markup = False, Markup(markdown_text, number)
    for said in lines(shown, tables=True, markup=markup):
        is_listed = said.table is None and (said.style in {"item", "quote"} or said.depth > 0)
        if not is_listed or not was_listed:
            blocks.append("")
        if said.table is not None:
            blocks += _markdown_table(said.table, markup)
        else:
            around = {"bold": "**", "dim": "*"}.get(said.style, "")
            blocks.append(f"{'  ' * said.depth}* {said.text}" if is_listed else f"{around}{said.text}{around}")
        was_listed = is_listed
    return "\n".join(blocks).strip() + "\n"


def markdown_text(text: str) -> str:
    """Text of which nothing is markup."""
    return _MARKDOWN.sub(r"\\\1", clean(text))


def _markdown_table(table: PresentedTable, markup: Markup) -> Iterator[str]:
    """The rows below their heads, the cited ones in bold with their numbers."""
    if table.place:
        yield from (f"{markdown_text(table.place)}:", "")
    heads = [markdown_text(head) for head in table.heads]
    if table.number:
        heads[0] = f"{heads[0]} {markup.number(table.number)}".strip()
    yield f"| {' | '.join(heads)} |"
    yield "|---" * len(heads) + "|"
    for row in table.rows:
        cells = [markdown_text(cell) for cell in row.cells] or [
            f"*{markdown_text(row.note)}*",
            *[""] * (len(heads) - 1),
        ]
        if row.number:
            cells = [f"**{cell}**" if cell else "" for cell in cells]
            cells[0] = f"{cells[0]} {markup.number(row.number)}".strip()
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
