"""An ``Answer`` for people, on a terminal or as Markdown: pure functions, the same words in both."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from clausegraph.app.answer_json import alternatives_disagree
from clausegraph.app.disagreement import quotes_beside, told
from clausegraph.app.text import clean, one_line
from clausegraph.app.wording import condition_lines, decided, headline, is_verdict, otherwise
from clausegraph.core.fingerprints import LLMFingerprint
from clausegraph.core.types import Alternative, Answer, AnswerStatus, Evidence, TraceStep

if TYPE_CHECKING:
    from rich.console import Group
    from rich.text import Text

_NOT_SURE = "Not sure: no answer is asserted."
_UNLIKELY = "Not sure: no answer is asserted, and the pages may not say."
_STATUS_LINES = {
    AnswerStatus.NOT_ANSWERABLE: "Not answerable: the corpus was searched and does not say.",
    AnswerStatus.QUOTED: _NOT_SURE,
    AnswerStatus.UNKNOWN: _NOT_SURE,
    AnswerStatus.INVALID_PREMISE: "Invalid premise: the question assumes something that the pages contradict.",
}
_MARKDOWN = re.compile(r"([\\`*_\[\]<>#|~])")


@dataclass(frozen=True, slots=True)
class PrintedLine:
    """A line of an answer: ``style`` is bold, plain, item, quote or dim."""

    style: str
    text: str
    depth: int = 0


def status_line(answer: Answer) -> str:
    """What is said first of an answer that is none; "" of one that is."""
    return _UNLIKELY if is_unlikely(answer) else _STATUS_LINES.get(answer.status, "")


def _quotes_line(answer: Answer, quotes: Sequence[Evidence]) -> str:
    """What stands above the quotes."""
    if is_unlikely(answer):
        return "What comes nearest:"
    return "The page says:" if len({one.page for one in quotes}) == 1 else "The pages say:"


def is_unlikely(answer: Answer) -> bool:
    """Whether what is quoted is probably of something else than what is asked."""
    return answer.status is AnswerStatus.UNKNOWN and bool(answer.quotes) and not answer.contradictions


def lines(answer: Answer) -> Iterator[PrintedLine]:
    """All that an answer says, line by line; an empty line stands between its parts."""
    for typed, read in answer.corrected:
        yield PrintedLine("dim", f"“{one_line(typed)}” was read as “{one_line(read)}”")
    if answer.status is not AnswerStatus.ANSWERED:
        yield PrintedLine("bold", status_line(answer))
    disagree = alternatives_disagree(answer)
    if disagree:
        yield PrintedLine("bold", "The pages disagree; each side with its page and date:")
    several = len(answer.alternatives) > 1
    for number, alternative in enumerate(answer.alternatives, 1):
        if several and number > 1:
            yield PrintedLine("plain", "")
        yield from _alternative(alternative, f"{number}. " if several else "", dated=disagree)
    for said, sides in told(answer):
        yield PrintedLine("plain", said)
        for evidence in sides:
            yield from _evidence(evidence)
    quotes = quotes_beside(answer)
    if quotes:
        yield PrintedLine("plain", _quotes_line(answer, quotes))
    for evidence in quotes:
        yield from _evidence(evidence)
    yield PrintedLine("plain", "")
    placed = f"corpus {clean(answer.corpus)}, epoch {answer.epoch}" if answer.epoch else "read for this question alone"
    yield PrintedLine("dim", placed)
    for reader in _readers(answer):
        yield PrintedLine("dim", f"read by {one_line(reader)}")
    for name in _models(answer.extractors):
        yield PrintedLine("dim", f"facts by {clean(name)}")


def _readers(answer: Answer) -> list[str]:
    """Model, prompt and guide that read, where one was asked: as the trace has it."""
    return list(dict.fromkeys(str(step.detail["read_by"]) for step in answer.trace if "read_by" in step.detail))


def _models(extractors: tuple[str, ...]) -> list[str]:
    """Prompt and model of those extractors that are language models."""
    asked = [one for one in map(LLMFingerprint.parse, extractors) if one is not None]
    return [f"{one.prompt}@{one.digest} with {one.model.model}" for one in asked]


def _alternative(alternative: Alternative, numbered: str, *, dated: bool) -> Iterator[PrintedLine]:
    side = f"  [{_sides(alternative.evidence)}]" if dated and alternative.evidence else ""
    first = headline(alternative)
    yield PrintedLine("bold", f"{numbered}{first}{side}")
    shown = decided(alternative)
    if shown is not None:
        if not first.endswith(":"):
            yield PrintedLine("plain", "Because:" if is_verdict(alternative) else "Conditions:")
        for line in condition_lines(shown):
            yield PrintedLine("item", line.text, line.depth)
        other, required = otherwise(alternative)
        if other:
            yield PrintedLine("plain", other)
        for line in condition_lines(required) if required is not None else ():
            yield PrintedLine("item", line.text, line.depth)
    if alternative.evidence:
        yield PrintedLine("plain", "Evidence:")
    for evidence in dict.fromkeys(alternative.evidence):
        yield from _evidence(evidence)


def _sides(evidence: Iterable[Evidence]) -> str:
    return "; ".join(dict.fromkeys(f"{one_line(e.title or e.page)}, {_dated(e)}" for e in evidence))


def _dated(evidence: Evidence) -> str:
    return f"updated {one_line(evidence.updated)}" if evidence.updated else "no date stated"


def _placed(evidence: Evidence) -> str:
    page = "" if evidence.page_number is None else f"page {evidence.page_number}, "
    return page + _dated(evidence)


def _evidence(evidence: Evidence) -> Iterator[PrintedLine]:
    path = [evidence.title or str(evidence.page), *(h for h in evidence.headings if h != evidence.title)]
    yield PrintedLine("item", " › ".join(one_line(part) for part in path) + f" ({_placed(evidence)})")
    if evidence.lead_in:
        yield PrintedLine("quote", f"“{one_line(evidence.lead_in)}”", 1)
    quoted = 2 if evidence.lead_in else 1
    yield PrintedLine("quote", f"“{one_line(evidence.quote)}”", quoted)
    for depth, item in evidence.nested_items:
        yield PrintedLine("quote", f"“{one_line(item)}”", quoted + depth)
    yield PrintedLine("dim", one_line(evidence.url or evidence.page), 1)


def render_answer(answer: Answer) -> Group:
    """What ``ask`` prints: each answer, its conditions, its evidence; where pages disagree, both with dates."""
    from rich.console import Group
    from rich.text import Text

    shown = []
    for said in lines(answer):
        indent = "  " * (said.depth + (said.style in ("item", "quote") or (said.style == "dim" and said.depth > 0)))
        style = said.style if said.style in ("bold", "dim") else ""
        shown.append(Text(f"{indent}{clean(said.text)}", style=style))
    return Group(*shown)


def answer_markdown(answer: Answer) -> str:
    """The same lines as Markdown; nothing of a page is taken for markup."""
    shown = []
    for said in lines(answer):
        text = _MARKDOWN.sub(r"\\\1", clean(said.text))
        listed = said.style in {"item", "quote"} or said.depth > 0
        around = {"bold": "**", "dim": "*"}.get(said.style, "")
        shown.append(f"{'  ' * said.depth}* {text}" if listed else f"{around}{text}{around}\n")
    return "\n".join(shown).rstrip() + "\n"


def render_step(step: TraceStep) -> Text:
    """A step of the engine with its milliseconds."""
    from rich.text import Text

    told = [f"  {one_line(name)}: {one_line(_figure(value), 400)}" for name, value in step.detail.items()]
    return Text("\n".join([f"{step.name}: {step.milliseconds:.0f} ms", *told]), style="dim")


def _figure(value: object) -> object:
    return (", ".join(map(str, value)) or "none") if isinstance(value, (list, tuple)) else value
