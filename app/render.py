"""An ``Answer`` for people and for programs: pure functions, no terminal, no ledger."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import TYPE_CHECKING, Any

from clausegraph.app.conditions import condition_json, condition_tree
from clausegraph.app.text import clean, one_line
from clausegraph.core.fingerprints import LLMFingerprint
from clausegraph.core.types import Alternative, Answer, AnswerStatus, Evidence, PageKey

if TYPE_CHECKING:
    from rich.console import Group, RenderableType
    from rich.text import Text

STATUS_LINES = {
    AnswerStatus.NOT_ANSWERABLE: "Not answerable: the corpus was searched and does not say.",
    AnswerStatus.UNKNOWN: "Unknown: there is evidence, but it does not decide the question.",
    AnswerStatus.INVALID_PREMISE: "Invalid premise: the question assumes something that the pages contradict.",
}


def answer_json(answer: Answer, *, trace: bool = False) -> dict[str, Any]:
    """The answer as JSON values; ``trace`` adds the engine's steps."""
    value: dict[str, Any] = {
        "question": answer.inquiry.question,
        "scenario": answer.inquiry.scenario,
        "status": answer.status.value,
        "corpus": answer.corpus,
        "epoch": answer.epoch,
        "pages_disagree": pages_disagree(answer),
        "extractors": list(answer.extractors),
        "alternatives": [_alternative_json(alternative) for alternative in answer.alternatives],
    }
    if trace:
        steps = [{"name": s.name, "milliseconds": round(s.milliseconds, 1), "detail": s.detail} for s in answer.trace]
        value["trace"] = steps
    return value


def _alternative_json(alternative: Alternative) -> dict[str, Any]:
    return {
        "text": alternative.text,
        "score": round(alternative.score, 4),
        "condition": condition_json(alternative.condition),
        "open_conditions": list(alternative.open_conditions),
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
        "quote": evidence.quote,
        "html": evidence.html,
    }


def pages_disagree(answer: Answer) -> bool:
    """Whether two alternatives with other texts rest on other pages and neither waits for a condition.

    Alternatives on one page are its own cases; with open conditions both may be right.
    """
    settled = [a for a in answer.alternatives if a.evidence and not a.open_conditions]
    return any(
        one_line(a.text).lower() != one_line(b.text).lower() and not (_pages(a) & _pages(b))
        for a, b in combinations(settled, 2)
    )


def _pages(alternative: Alternative) -> set[PageKey]:
    return {evidence.page for evidence in alternative.evidence}


def render_answer(answer: Answer) -> Group:
    """What ``ask`` prints: each answer, its conditions, its evidence; where pages disagree, both with dates."""
    from rich.console import Group
    from rich.text import Text

    parts: list[RenderableType] = []
    if answer.status is not AnswerStatus.ANSWERED:
        parts.append(Text(STATUS_LINES[answer.status], style="bold"))
    disagree = pages_disagree(answer)
    if disagree:
        parts.append(Text("The pages disagree; each side with its page and date:", style="bold"))
    for number, alternative in enumerate(answer.alternatives, 1):
        if parts:
            parts.append(Text(""))
        numbered = f"{number}. " if len(answer.alternatives) > 1 else ""
        parts += _alternative(alternative, numbered, dated=disagree)
    parts += [Text(""), Text(f"corpus {clean(answer.corpus)}, epoch {answer.epoch}", style="dim")]
    parts += [Text(f"facts by {clean(name)}", style="dim") for name in _models(answer.extractors)]
    return Group(*parts)


def _models(extractors: tuple[str, ...]) -> list[str]:
    """Prompt and model of those extractors that are language models."""
    asked = [one for one in map(LLMFingerprint.parse, extractors) if one is not None]
    return [f"{one.prompt}@{one.digest} with {one.model.model}" for one in asked]


def _alternative(alternative: Alternative, numbered: str, *, dated: bool) -> Iterable[RenderableType]:
    from rich.text import Text

    side = f"  [{_sides(alternative.evidence)}]" if dated and alternative.evidence else ""
    yield Text(f"{numbered}{clean(alternative.text)}{side}", style="bold")
    if alternative.condition is not None:
        title = "It depends on what the scenario leaves open:" if alternative.open_conditions else "Conditions:"
        yield condition_tree(alternative.condition, title)
    if alternative.evidence:
        yield Text("Evidence:")
    for evidence in dict.fromkeys(alternative.evidence):
        yield from _evidence(evidence)


def _sides(evidence: Iterable[Evidence]) -> str:
    return "; ".join(dict.fromkeys(f"{one_line(e.title or e.page)}, {_dated(e)}" for e in evidence))


def _dated(evidence: Evidence) -> str:
    return f"updated {one_line(evidence.updated)}" if evidence.updated else "no date stated"


def _evidence(evidence: Evidence) -> Iterable[Text]:
    from rich.text import Text

    path = [evidence.title or str(evidence.page), *(h for h in evidence.headings if h != evidence.title)]
    yield Text("  " + " › ".join(one_line(part) for part in path) + f" ({_dated(evidence)})")
    yield Text(f"    “{one_line(evidence.quote)}”")
    yield Text(f"    {one_line(evidence.url or evidence.page)}", style="dim")


def _figure(value: object) -> object:
    return (", ".join(map(str, value)) or "none") if isinstance(value, (list, tuple)) else value


def render_trace(answer: Answer) -> Text:
    """The engine's steps with their milliseconds."""
    from rich.text import Text

    lines = []
    for step in answer.trace:
        lines.append(f"{step.name}: {step.milliseconds:.0f} ms")
        lines += [f"  {one_line(name)}: {one_line(_figure(value), 400)}" for name, value in step.detail.items()]
    return Text("\n".join(lines), style="dim")
