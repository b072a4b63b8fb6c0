"""The sentence, list or row that surely answers a question that asks for no verdict and no value."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clausegraph.core.language.sentences import sentence_spans
from clausegraph.query.read.answers import Asked
from clausegraph.query.read.candidates import Candidate
from clausegraph.query.read.evidence import introduction
from clausegraph.query.read.meeting import telling, uncovered
from clausegraph.query.read.sure import Fit, fit, missing_words, uncompared

_DEPTH = 12


@dataclass(frozen=True, slots=True)
class FittingPlace:
    """A sentence ``[start, end)`` of an element, with what introduces it, and how it fits."""

    candidate: Candidate
    start: int
    end: int
    said: str
    fit: Fit

    @property
    def key(self) -> tuple[int, int, int, int]:
        """Smaller is better."""
        return (*self.fit.key, self.fit.rank)

    @property
    def block(self) -> tuple[object, str]:
        """What it is shown with: its list, else itself."""
        return self.candidate.page, self.candidate.element.lead_in or self.candidate.element.anchor


def sure_place(asked: Asked, ranked: Sequence[Candidate]) -> tuple[FittingPlace, list[str]] | None:
    """The place and what remains to be doubted about it; None where there is none."""
    found = sorted(_found(asked, ranked), key=lambda one: one.key)
    if not found:
        return None
    best, words = found[0], telling(asked.parts.asks)
    doubts = missing_words(asked, best.fit)
    if len(best.fit.only_around) > len(words) / 2:
        doubts.append("most of the question is said only around it")
    doubts += [
        f"another place fits as well: “{other.said[:60]}”"
        for other in found[1:]
        if other.fit.key <= best.fit.key and other.block != best.block
    ][:1]
    doubts += uncompared(asked, best.candidate, best.said, [best.said])
    told = telling(asked.story)
    here = len(uncovered(told, best.said))
    doubts += [
        f"what is told fits better to “{other.said[:60]}”"
        for other in found[1:]
        if other.block != best.block and len(uncovered(told, other.said)) < here
    ][:1]
    if len(words) < 2:
        doubts.append("the question says too little")
    return best, doubts


def _found(asked: Asked, ranked: Sequence[Candidate]) -> list[FittingPlace]:
    found = []
    for rank, candidate in enumerate(ranked[:_DEPTH]):
        element = candidate.element
        if element.is_heading:
            continue
        lead = introduction(element, asked.pages(candidate.page))
        whole = element.tag in ("li", "tr")
        for start, end in [(0, len(element.text))] if whole else sentence_spans(element.text):
            said = f"{lead} {element.text[start:end]}".strip()
            found.append(FittingPlace(candidate, start, end, said, fit(asked, candidate, rank, said)))
    return found
