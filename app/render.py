"""Answers, condition trees and steps for people and programs: terminal, Markdown, plain text, and JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any, TypeVar

from clausegraph.core.presentation.answer import Presentation, PresentedSource, present
from clausegraph.core.presentation.quoted_parts import LineKind, PresentedLine, PresentedTable
from clausegraph.core.presentation.wording import MARKS, headline, open_questions, opposite, pages_disagree
from clausegraph.core.text import clean, one_line
from clausegraph.core.types import Alternative, Answer, Evidence, JudgedLeaf, Leaf, TraceStep, Tree, fold, holds

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text
    from rich.tree import Tree as Drawn


L = TypeVar("L", Leaf, JudgedLeaf)
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~])")


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line of an answer: ``style`` is bold, plain, item, quote or dim; or a table, of which ``text`` is the place."""

    style: str
    text: str
    depth: int = 0
    table: PresentedTable | None = None


def lines(shown: Presentation, *, found: bool = False, tables: bool = False) -> Iterator[PrintedLine]:
    """All that an answer says, line by line.

    Args:
        found: adds how it came about.
        tables: a table stands in the place of the lines that name its cells.
    """
    for typed, read in shown.corrections:
        yield PrintedLine("dim", f"“{one_line(typed)}” was read as “{one_line(read)}”")
    for line in (*shown.headline, *shown.disputed):
        yield from _line(line, tables=tables)
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
        yield from _source(source, tables=tables)
    if shown.calculations:
        yield PrintedLine("dim", f"Worked out: {'; '.join(shown.calculations)}")
    if found:
        yield from (PrintedLine("dim", text) for text in shown.found)


def _line(line: PresentedLine, *, tables: bool) -> Iterator[PrintedLine]:
    text = f"{line.text}{_numbers(line)}"
    match line.kind:
        case _ if tables and line.is_in_table:
            yield from _table(line)
        case LineKind.SENTENCE:
            yield PrintedLine("bold", text)
        case LineKind.NOTE:
            yield PrintedLine("plain", text, line.depth)
        case LineKind.QUOTE:
            yield PrintedLine("quote", text, line.depth + 1)
        case LineKind.PLACE | LineKind.ITEM | LineKind.CONDITION:
            yield PrintedLine("item", text, line.depth)


def _table(line: PresentedLine) -> Iterator[PrintedLine]:
    if line.table is not None:
        yield PrintedLine("table", line.table.place, 0, line.table)


def _numbers(line: PresentedLine) -> str:
    return " " + "".join(f"[{number}]" for number in line.citations) if line.citations else ""


def _source(source: PresentedSource, *, tables: bool) -> Iterator[PrintedLine]:
    """The page once, and below it its quotes by number, unless they stand above."""
    dated = f", updated {source.updated}" if source.updated else ""
    yield PrintedLine("plain", f"Source: {source.title}{dated} · {source.address}")
    for line in source.lines:
        if tables and line.is_in_table:
            yield from _table(line)
        else:
            yield PrintedLine("quote", f"{_numbers(line)} {line.text}".strip(), line.depth)


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
    """The same lines as Markdown, tables as tables; nothing of a page is taken for markup."""
    blocks: list[str] = []
    was_listed = False
    for said in lines(present(answer), tables=True):
        is_listed = said.table is None and (said.style in {"item", "quote"} or said.depth > 0)
        if not is_listed or not was_listed:
            blocks.append("")
        if said.table is not None:
            blocks += _markdown_table(said.table)
        else:
            around = {"bold": "**", "dim": "*"}.get(said.style, "")
            text = _escaped(said.text)
            blocks.append(f"{'  ' * said.depth}* {text}" if is_listed else f"{around}{text}{around}")
        was_listed = is_listed
    return "\n".join(blocks).strip() + "\n"


def _escaped(text: str) -> str:
    return _MARKDOWN.sub(r"\\\1", clean(text))


def _markdown_table(table: PresentedTable) -> Iterator[str]:
    """The rows below their heads, the cited ones in bold with their numbers."""
    if table.place:
        yield from (f"{_escaped(table.place)}:", "")
    number = f" [{table.number}]" if table.number else ""
    heads = [f"{table.heads[0]}{number}".strip(), *table.heads[1:]]
    yield f"| {' | '.join(map(_escaped, heads))} |"
    yield "|---" * len(heads) + "|"
    for row in table.rows:
        cells = [_escaped(cell) for cell in row.cells] or [f"*{_escaped(row.note)}*", *[""] * (len(heads) - 1)]
        if row.number:
            cells = [f"**{cell}**" if cell else "" for cell in cells]
            cells[0] = f"{cells[0]} {_escaped(f'[{row.number}]')}".strip()
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
        return Drawn(Text(_leaf_line(found)))

    root = Drawn(Text(title))
    root.children.append(fold(condition, leaf, group))
    return root


def _leaf_line(found: Leaf | JudgedLeaf) -> str:
    if isinstance(found, Leaf):
        return one_line(found.words)
    source = found.source
    return f"{MARKS[found.state]}: {one_line(found.leaf.text)} ({one_line(source.title or source.page, 60)})"


SCHEMA = "clausegraph.answer/4"
"""Name and version of the form; the version grows when a reader of the one before could misread it."""


def attributes(thing: object, names: str) -> dict[str, Any]:
    """Attributes as JSON values, by name: a tuple as a list, a member of an enum as its value."""
    found = {name: getattr(thing, name) for name in names.split()}
    return {
        name: list(value) if isinstance(value, tuple) else value.value if isinstance(value, Enum) else value
        for name, value in found.items()
    }


def condition_json(condition: Tree[L] | None) -> Any:
    """``{"all": […]}``, ``{"any": […]}``, ``{"not": …}``, ``{"leaf": {…}}`` or null.

    A leaf whose words are not clear without the page has its meaning too; a judged one its state, page and quote.
    """

    def group(kind: str, parts: list[Any]) -> Any:
        return {kind: parts[0] if kind == "not" else parts}

    return None if condition is None else fold(condition, _leaf_json, group)


def _leaf_json(found: Leaf | JudgedLeaf) -> Any:
    leaf = found.leaf if isinstance(found, JudgedLeaf) else found
    value = attributes(leaf, "text anchor start end" + (" meaning" if leaf.meaning else ""))
    if isinstance(found, JudgedLeaf):
        value |= attributes(found, "state decisive") | {"page": str(found.source.page), "quote": found.source.quote}
    return {"leaf": value}


def answer_json(answer: Answer, *, trace: bool = False) -> dict[str, Any]:
    """The answer as JSON values; ``trace`` adds the engine's steps."""
    value = {"schema": SCHEMA} | attributes(answer.inquiry, "question scenario")
    value |= attributes(answer, "status corpus epoch") | {
        "corrected": [{"typed": typed, "read": read} for typed, read in answer.corrected],
        "pages_disagree": pages_disagree(answer),
        "contradictions": [
            attributes(one, "kind superseded since")
            | {"newer": evidence_json(one.newer), "older": evidence_json(one.older)}
            for one in answer.contradictions
        ],
        "extractors": list(answer.extractors),
        "alternatives": [_alternative_json(alternative) for alternative in answer.alternatives],
        "quotes": [evidence_json(evidence) for evidence in answer.quotes],
        "presentation": presentation_json(answer),
    }
    return value | ({"trace": [step_json(step) for step in answer.trace]} if trace else {})


def presentation_json(answer: Answer) -> dict[str, Any]:
    """The answer as people read it: lines with the numbers of their citations, and the same as plain text."""
    shown = present(answer)
    parts = {name: [_line_json(line) for line in getattr(shown, name)] for name in ("headline", "disputed")}
    parts |= attributes(shown, "for_you check")
    parts |= {name: [_line_json(line) for line in getattr(shown, name)] for name in ("next", "more")}
    sources = [
        {
            "title": source.title,
            "address": source.address,
            "updated": source.updated or None,
            "citations": [{"number": one.number} | evidence_json(one.evidence) for one in source.citations],
            "lines": [_line_json(line) for line in source.lines],
        }
        for source in shown.sources
    ]
    return parts | {"sources": sources, "text": answer_text(answer)}


def _line_json(line: PresentedLine) -> dict[str, Any]:
    table = line.table and attributes(line.table, "place heads") | {
        "number": line.table.number or None,
        "rows": [attributes(row, "cells number note") | {"number": row.number or None} for row in line.table.rows],
    }
    shown = attributes(line, "kind text citations depth calculations")
    return shown | {"table": table, "is_in_table": line.is_in_table}


def step_json(step: TraceStep) -> dict[str, Any]:
    """A step of the engine."""
    return {"name": step.name, "milliseconds": round(step.milliseconds, 1), "detail": step.detail}


def _alternative_json(alternative: Alternative) -> dict[str, Any]:
    return {
        "text": alternative.text,
        "headline": headline(alternative),
        "score": round(alternative.score, 4),
        "holds": holds(alternative.condition).value,
        "otherwise": opposite(alternative),
        "condition": condition_json(alternative.condition),
        "open_conditions": list(alternative.open_conditions),
        "open_questions": open_questions(alternative),
        "evidence": [evidence_json(evidence) for evidence in alternative.evidence],
    }


def evidence_json(evidence: Evidence) -> dict[str, Any]:
    """A quoted span with everything that is needed to find it again."""
    shown = attributes(evidence.page, "source uri") | attributes(evidence, "title url updated headings")
    shown |= attributes(evidence.span, "anchor start end") | attributes(evidence, "lead_in quote items")
    shown["item_depths"] = [depth for depth, _ in evidence.nested_items]
    return shown | attributes(evidence, "items_left html page_number")
