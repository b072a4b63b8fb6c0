"""Answers, condition trees and steps for people and programs: terminal, Markdown, plain text, and JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from clausegraph.core.presentation.answer import Presentation, PresentedSource, present
from clausegraph.core.presentation.quoted_parts import LineKind, PresentedLine, PresentedTable
from clausegraph.core.presentation.wording import MARKS, headline, open_questions, opposite, pages_disagree
from clausegraph.core.text import clean, one_line
from clausegraph.core.types import (
    Alternative,
    Answer,
    Contradiction,
    Evidence,
    JudgedLeaf,
    Leaf,
    TraceStep,
    Tree,
    fold,
    holds,
)

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


def condition_json(condition: Tree[L] | None) -> Any:
    """``{"all": […]}``, ``{"any": […]}``, ``{"not": …}``, ``{"leaf": {…}}`` or null.

    A leaf whose words are not clear without the page has its meaning too; a judged one its state, page and quote.
    """
    if condition is None:
        return None
    return fold(condition, _leaf_json, _group_json)


def _group_json(kind: str, parts: list[Any]) -> Any:
    return {kind: parts[0] if kind == "not" else parts}


def _leaf_json(found: Leaf | JudgedLeaf) -> Any:
    leaf = found.leaf if isinstance(found, JudgedLeaf) else found
    value = {"text": leaf.text, "anchor": leaf.anchor, "start": leaf.start, "end": leaf.end}
    value |= {"meaning": leaf.meaning} if leaf.meaning else {}
    if isinstance(found, JudgedLeaf):
        judged = {"state": found.state.value, "decisive": found.decisive}
        value |= judged | {"page": str(found.source.page), "quote": found.source.quote}
    return {"leaf": value}


def answer_json(answer: Answer, *, trace: bool = False) -> dict[str, Any]:
    """The answer as JSON values; ``trace`` adds the engine's steps."""
    value: dict[str, Any] = {
        "schema": SCHEMA,
        "question": answer.inquiry.question,
        "scenario": answer.inquiry.scenario,
        "status": answer.status.value,
        "corpus": answer.corpus,
        "epoch": answer.epoch,
        "corrected": [{"typed": typed, "read": read} for typed, read in answer.corrected],
        "pages_disagree": pages_disagree(answer),
        "contradictions": [_contradiction_json(one) for one in answer.contradictions],
        "extractors": list(answer.extractors),
        "alternatives": [_alternative_json(alternative) for alternative in answer.alternatives],
        "quotes": [evidence_json(evidence) for evidence in answer.quotes],
        "presentation": presentation_json(answer),
    }
    if trace:
        value["trace"] = [step_json(step) for step in answer.trace]
    return value


def presentation_json(answer: Answer) -> dict[str, Any]:
    """The answer as people read it: lines with the numbers of their citations, and the same as plain text."""
    shown = present(answer)
    return {
        "headline": [_line_json(line) for line in shown.headline],
        "disputed": [_line_json(line) for line in shown.disputed],
        "for_you": list(shown.for_you),
        "check": list(shown.check),
        "next": [_line_json(line) for line in shown.next],
        "more": [_line_json(line) for line in shown.more],
        "sources": [
            {
                "title": source.title,
                "address": source.address,
                "updated": source.updated or None,
                "citations": [{"number": one.number} | evidence_json(one.evidence) for one in source.citations],
                "lines": [_line_json(line) for line in source.lines],
            }
            for source in shown.sources
        ],
        "text": answer_text(answer),
    }


def _line_json(line: PresentedLine) -> dict[str, Any]:
    return {
        "kind": line.kind.value,
        "text": line.text,
        "citations": list(line.citations),
        "depth": line.depth,
        "calculations": list(line.calculations),
        "table": None if line.table is None else _table_json(line.table),
        "is_in_table": line.is_in_table,
    }


def _table_json(table: PresentedTable) -> dict[str, Any]:
    return {
        "place": table.place,
        "heads": list(table.heads),
        "number": table.number or None,
        "rows": [{"cells": list(row.cells), "number": row.number or None, "note": row.note} for row in table.rows],
    }


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
    return {
        "source": evidence.page.source,
        "uri": evidence.page.uri,
        "title": evidence.title,
        "url": evidence.url,
        "updated": evidence.updated,
        "headings": list(evidence.headings),
        "anchor": evidence.span.anchor,
        "start": evidence.span.start,
        "end": evidence.span.end,
        "lead_in": evidence.lead_in,
        "quote": evidence.quote,
        "items": list(evidence.items),
        "item_depths": [depth for depth, _ in evidence.nested_items],
        "items_left": evidence.items_left,
        "html": evidence.html,
        "page_number": evidence.page_number,
    }


def _contradiction_json(one: Contradiction) -> dict[str, Any]:
    sides = {"newer": evidence_json(one.newer), "older": evidence_json(one.older)}
    return {"kind": one.kind, "superseded": one.superseded, "since": one.since} | sides
