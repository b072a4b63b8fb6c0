"""An ``Answer`` as people read it, in the order in which they read: the one place that decides about words.

Headline, for you, check, next, more, sources (docs/plain-answers.md). Command line, console, Markdown, REST and MCP
render a ``Presentation``; they add no words of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from clausegraph.core.condition_trees import deciding
from clausegraph.core.hashing import LLMFingerprint
from clausegraph.core.language.lexicon import word_set
from clausegraph.core.language.normalise import content, is_greeting, overlap
from clausegraph.core.presentation.quoted_parts import (
    Citation,
    LineKind,
    PresentedLine,
    joined,
    lists,
    place_of,
    quoted_lines,
    source_lines,
)
from clausegraph.core.presentation.wording import (
    alternatives_disagree,
    asked_of,
    condition_lines,
    decided,
    disputed_sides,
    headline,
    leaf_words,
    open_questions,
    quotes_beside,
    says_both,
    unless_words,
)
from clausegraph.core.text import one_line
from clausegraph.core.types import (
    Alternative,
    Answer,
    AnswerStatus,
    ConditionState,
    Evidence,
    JudgedLeaf,
    Sentence,
    SentenceRole,
    holds,
    leaves,
)

_CALL = re.compile(r"[a-z]\(")  # a function of the calculator, which is no way to show a sum
_INDIRECT = word_set("how what when where whether which who whom whose why if")
_NAMED = 0.6  # share of a question's terms that the sentences have, where they name its condition
_NEARBY = 3  # titles that a refusal names


@dataclass(frozen=True, slots=True)
class PresentedSource:
    """A page that an answer rests on, once, with its citations in the order of their numbers.

    ``lines`` are those quotes that do not stand above it.
    """

    title: str
    address: str
    updated: str
    citations: tuple[Citation, ...]
    lines: tuple[PresentedLine, ...] = ()


@dataclass(frozen=True, slots=True)
class Presentation:
    """An answer in the order in which it is read. ``found`` is how it came about, for those who ask for it."""

    corrections: tuple[tuple[str, str], ...] = ()
    headline: tuple[PresentedLine, ...] = ()
    disputed: tuple[PresentedLine, ...] = ()  # what other pages say against it
    for_you: tuple[str, ...] = ()
    check: tuple[str, ...] = ()
    next: tuple[PresentedLine, ...] = ()
    more: tuple[PresentedLine, ...] = ()
    sources: tuple[PresentedSource, ...] = ()
    found: tuple[str, ...] = ()

    @property
    def calculations(self) -> tuple[str, ...]:
        """How computed values came about, each once."""
        lines = (*self.headline, *self.next, *self.more)
        return tuple(dict.fromkeys(sum_ for line in lines for sum_ in line.calculations))


def present(answer: Answer) -> Presentation:
    """The answer as it is shown."""
    if not (answer.alternatives or answer.quotes or answer.sentences or answer.contradictions):
        lines = (PresentedLine(LineKind.SENTENCE, _refusal(answer)),)
        return Presentation(answer.corrected, lines, found=_found(answer))
    return _Presenting(answer).run()


@dataclass
class _Presenting:
    """One answer on its way: quotes are numbered in the order in which they are first cited."""

    answer: Answer
    numbers: dict[tuple[str, str], Citation] = field(default_factory=dict)
    quoted_above: dict[tuple[str, str], Evidence] = field(default_factory=dict)  # whose words the lines have

    def run(self) -> Presentation:
        answer = self.answer
        of = [(self._sentence(one), one.role) for one in _each_once(answer.sentences)]
        if answer.sentences:
            asked = [line for line, role in of if role in (SentenceRole.ANSWER, SentenceRole.ITEM)]
            refused = PresentedLine(LineKind.SENTENCE, _not_covered(answer))
            headline_lines = [*asked, *self._missing()] if asked else [refused]
        elif answer.alternatives:
            headline_lines = list(self._outcomes())
        else:
            headline_lines = list(self._quotes())
        return Presentation(
            corrections=() if answer.sentences else answer.corrected,
            headline=tuple(headline_lines),
            disputed=tuple(self._disputed()),
            for_you=() if answer.sentences else tuple(_told_words(answer)),
            check=tuple(self._check()),
            next=tuple(line for line, role in of if role is SentenceRole.NEXT),
            more=tuple(line for line, role in of if role is SentenceRole.MORE),
            sources=tuple(self._sources()),
            found=_found(answer),
        )

    def _sentence(self, one: Sentence) -> PresentedLine:
        kind = LineKind.ITEM if one.role is SentenceRole.ITEM else LineKind.SENTENCE
        text = f"“{one_line(one.text)}”" if one.quoted else one_line(one.text)
        cited = [evidence for evidence in one.evidence if not _introduces(evidence, one.evidence)]
        in_text = {e for e in cited if one.quoted and one_line(e.quote) in one_line(one.text)}
        numbers = tuple(self._cite(evidence, is_above=evidence in in_text) for evidence in _in_page_order(cited))
        plain = tuple(one_line(sum_) for sum_ in one.calculations if not _CALL.search(sum_))
        return PresentedLine(kind, text, tuple(sorted(set(numbers))), 0, plain)

    def _missing(self) -> Iterator[PresentedLine]:
        if self.answer.missing:
            yield PresentedLine(LineKind.NOTE, _unsaid(self.answer.missing))

    def _cite(self, evidence: Evidence, *, is_above: bool = False) -> int:
        """The number of an element's quote; what several lines cite of one element is one quote.

        Args:
            is_above: a line has its words.
        """
        key = _element_of(evidence)
        known = self.numbers.get(key)
        if known is None:
            self.numbers[key] = Citation(len(self.numbers) + 1, evidence)
        else:
            self.numbers[key] = replace(known, evidence=joined(known.evidence, evidence))
        if is_above:
            above = self.quoted_above.get(key)
            self.quoted_above[key] = evidence if above is None else joined(above, evidence)
        return self.numbers[key].number

    def _quote(self, evidence: Evidence) -> Iterator[PresentedLine]:
        """A place of a page in its own words, unless they stand above."""
        is_repeated = self._is_above(evidence)
        number = self._cite(evidence, is_above=True)
        if not is_repeated:
            yield from quoted_lines(evidence, number)

    def _is_above(self, evidence: Evidence) -> bool:
        above = self.quoted_above.get(_element_of(evidence))
        return above is not None and evidence.quote in above.quote

    def _outcomes(self) -> Iterator[PresentedLine]:
        """The alternatives of a reader that writes no sentences."""
        answer = self.answer
        disagree = alternatives_disagree(answer)
        if disagree:
            yield PresentedLine(LineKind.NOTE, "The pages disagree; each side with its page and date:")
        elif says_both(answer):
            yield PresentedLine(LineKind.NOTE, "The pages say both; please read their words:")
        several = len(answer.alternatives) > 1
        for number, one in enumerate(answer.alternatives, 1):
            cited = tuple(sorted({self._cite(e) for e in one.evidence if not e.html.startswith("<h")}))
            text = f"{number}. {_opening(one)}" if several else _opening(one)
            opens_list = text.endswith(":")
            if disagree and one.evidence:
                text = f"{text} ({_side(one.evidence)})"
            yield PresentedLine(LineKind.SENTENCE, text, () if opens_list else cited)
            if opens_list:
                shown = decided(one)
                for line in condition_lines(shown) if shown is not None else ():
                    yield PresentedLine(LineKind.CONDITION, line.text, (), line.depth)

    def _quotes(self) -> Iterator[PresentedLine]:
        """What is quoted where nothing is asserted: the first place. The words of others stand under the source."""
        answer, quotes = self.answer, quotes_beside(self.answer)
        if not quotes:
            return
        unlikely = answer.status is AnswerStatus.UNKNOWN and not answer.contradictions
        first, others = quotes[0], []
        for one in quotes[1:]:
            if _element_of(one) == _element_of(first):
                first = joined(first, one)
            elif not (lists(first, one) or lists(one, first)):
                others.append(one)
        opening = "These pages may not answer this. What comes nearest:" if unlikely else "The page says:"
        yield PresentedLine(LineKind.SENTENCE, opening)
        yield PresentedLine(LineKind.PLACE, " › ".join(place_of(first)))
        yield from self._quote(first)
        if others:
            doubt = "See also" if unlikely else "This may not decide it. See also"
            yield PresentedLine(LineKind.NOTE, doubt, tuple(map(self._cite, others)))

    def _disputed(self) -> Iterator[PresentedLine]:
        """What other pages say against it, with both sides."""
        for said, sides in disputed_sides(self.answer):
            yield PresentedLine(LineKind.NOTE, said)
            for evidence in sides:
                path = f"{' › '.join(place_of(evidence))} ({_dated(evidence)})"
                yield PresentedLine(LineKind.PLACE, path, (self._cite(evidence),))
                yield from self._quote(evidence)

    def _check(self) -> Iterator[str]:
        """What is open and could change the headline, as questions; nothing that the headline lists already."""
        answer = self.answer
        listed = any(line.endswith(":") for line in (_opening(one) for one in answer.alternatives))
        if listed and not answer.sentences:
            return
        found: dict[str, None] = {}
        said = " ".join(one.text for one in answer.sentences)
        for one in answer.alternatives:
            found |= dict.fromkeys(_questions(one, said) if answer.sentences else open_questions(one))
        yield from found

    def _sources(self) -> Iterator[PresentedSource]:
        pages: dict[str, list[Citation]] = {}
        for one in self.numbers.values():
            citation = replace(one, is_shown=self._is_above(one.evidence))
            pages.setdefault(str(one.evidence.page), []).append(citation)
        known = list(_evidence_of(self.answer))
        for citations in pages.values():
            first = citations[0].evidence
            title, address = first.title or str(first.page), first.url or str(first.page)
            updated, lines = one_line(first.updated or ""), tuple(source_lines(citations, known))
            yield PresentedSource(one_line(title), one_line(address), updated, tuple(citations), lines)


def _element_of(evidence: Evidence) -> tuple[str, str]:
    return str(evidence.page), evidence.span.anchor


def _each_once(sentences: Sequence[Sentence]) -> list[Sentence]:
    """The sentences without those that say the same again, whose evidence the first one has then."""
    found: dict[str, Sentence] = {}
    for one in sentences:
        text = one_line(one.text)
        first = found.setdefault(text, one)
        evidence = tuple(dict.fromkeys((*first.evidence, *one.evidence)))
        sums = tuple(dict.fromkeys((*first.calculations, *one.calculations)))
        found[text] = replace(first, evidence=evidence, calculations=sums)
    return list(found.values())


def _in_page_order(quotes: Iterable[Evidence]) -> list[Evidence]:
    """The quotes page by page, the page of the first one first."""
    found = list(quotes)
    pages = list(dict.fromkeys(one.page for one in found))
    return sorted(found, key=lambda one: (pages.index(one.page), one.position, one.span.start))


def _evidence_of(answer: Answer) -> Iterator[Evidence]:
    """All evidence of an answer."""
    yield from answer.quotes
    for sentence in answer.sentences:
        yield from sentence.evidence
    for one in answer.alternatives:
        yield from (*one.evidence, *one.sources)


def _introduces(evidence: Evidence, cited: Sequence[Evidence]) -> bool:
    """Whether a quote only introduces others that are cited beside it: it is shown with them."""
    beside = [one for one in cited if one.page == evidence.page and one is not evidence]
    led = any(one.lead_in and one.lead_in in evidence.quote for one in beside)
    # a row has the other rows of its table as items, too, and introduces none of them
    return led or any(one.quote in evidence.items and one.lead_in != evidence.lead_in for one in beside)


def _side(evidence: Sequence[Evidence]) -> str:
    """The pages of an alternative that others deny, with their dates."""
    return "; ".join(dict.fromkeys(f"{one_line(e.title or e.page)}, {_dated(e)}" for e in evidence))


def _dated(evidence: Evidence) -> str:
    return f"updated {one_line(evidence.updated)}" if evidence.updated else "no date stated"


def _opening(alternative: Alternative) -> str:
    """The headline of an alternative: with its exception in the sentence where a single one is open."""
    return unless_words(alternative) or headline(alternative)


def _questions(alternative: Alternative, said: str) -> Iterator[str]:
    """Open leaves of a tree that matter, as questions, but those that the sentences name already."""
    if alternative.condition is None or holds(alternative.condition) is not ConditionState.UNKNOWN:
        return
    for leaf in leaves(deciding(alternative.condition)):
        question = asked_of(leaf)
        if leaf.decisive and leaf.state is ConditionState.UNKNOWN and overlap(content(question), said) < _NAMED:
            yield question


def _told_words(answer: Answer) -> Iterator[str]:
    """What was told of conditions that count, where the headline does not list them."""
    found: dict[str, None] = {}
    for one in answer.alternatives:
        if one.condition is None or _opening(one).endswith(":"):
            continue
        for leaf in leaves(deciding(one.condition)):
            if leaf.state is not ConditionState.UNKNOWN:
                found[_settled_words(leaf)] = None
    yield from found


def _settled_words(leaf: JudgedLeaf) -> str:
    return leaf_words(leaf) if leaf.state is ConditionState.MET else f"not so: {leaf_words(leaf)}"


def _refusal(answer: Answer) -> str:
    """One sentence or two: what these pages do not cover, and what they do cover that is near."""
    if answer.status is AnswerStatus.INVALID_PREMISE:
        return "The question assumes something that the pages contradict."
    titles = [one_line(title) for title in answer.nearby[:_NEARBY]]
    greets = any(step.detail.get("kind") == "greeting" for step in answer.trace)  # as a model that read it says
    if greets or is_greeting(answer.inquiry.question):
        return f"Hello. You can ask about {_listed(titles)}." if titles else "Hello. Ask a question about these pages."
    said = _not_covered(answer)
    return f"{said} Nearest: {_listed(titles)}." if titles else said


def _not_covered(answer: Answer) -> str:
    return _unsaid(answer.missing) if answer.missing else "These pages do not answer this."


def _unsaid(missing: str) -> str:
    text = one_line(missing)
    return f"These pages do not say{' ' if text.partition(' ')[0].lower() in _INDIRECT else ': '}{text}."


def _listed(titles: Sequence[str]) -> str:
    return titles[0] if len(titles) == 1 else f"{', '.join(titles[:-1])} and {titles[-1]}"


def _found(answer: Answer) -> tuple[str, ...]:
    """Corpus, epoch, who read and who stated."""
    placed = (
        f"corpus {one_line(answer.corpus)}, epoch {answer.epoch}" if answer.epoch else "read for this question alone"
    )
    spelled = (f"“{one_line(typed)}” was read as “{one_line(read)}”" for typed, read in answer.corrected)
    readers = dict.fromkeys(str(step.detail["read_by"]) for step in answer.trace if "read_by" in step.detail)
    return (
        placed,
        *(spelled if answer.sentences else ()),
        *(f"read by {one_line(one)}" for one in readers),
        *_models(answer.extractors),
    )


def _models(extractors: Iterable[str]) -> list[str]:
    """Prompt and model of those extractors that are language models."""
    asked = [one for one in map(LLMFingerprint.parse, extractors) if one is not None]
    return [f"facts by {one_line(f'{one.prompt}@{one.digest} with {one.model.model}')}" for one in asked]
