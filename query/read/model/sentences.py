"""Each sentence that a model writes for the person is held to the elements that it cites.

Its numbers, names and modal words stand there, in what the person said, or are computed by code; its conditions are
those of the page; its "yes" or "no" is that of the condition trees. What fails is a problem, which one repair may mend;
then its quote takes its place, and a sentence without a source is left out.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from clausegraph.core.expression import Value
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.known_values import KnownValues
from clausegraph.core.types import Sentence, SentenceRole
from clausegraph.query.read.model.check import VERDICTS, Checked, CheckedAnswer, CheckedSentence, check_draft
from clausegraph.query.read.model.claims import claim_problems, speaks_to_a_model
from clausegraph.query.read.model.reply import Draft, DraftSentence
from clausegraph.query.read.model.shown import Shown, ShownElement
from clausegraph.query.read.model.sums import Sums, computed_sums
from clausegraph.query.read.model.support import CitedSupport, told_by
from clausegraph.query.read.protocol import Pages

_CAPITALISED = re.compile(r"\b[A-Z][\w’'-]*")
_OPENING = " \t\"'“‘*"
_CONDITIONAL = ("if", "unless", "only", "provided", "as long as", "depend", "when", "until", "except", "once", "or")


def check_reply(draft: Draft, shown: Shown, inquiry: Inquiry, pages: Pages) -> Checked:
    """Check the outcomes of a draft, and its sentences against the pages and the outcomes."""
    checked = check_draft(draft, shown, inquiry, pages)
    checked.sentences = check_sentences(draft.sentences, checked.answers, shown, inquiry, pages)
    checked.problems += [problem for one in checked.sentences for problem in one.problems]
    return checked


def shown_sentences(checked: Sequence[CheckedSentence]) -> tuple[Sentence, ...]:
    """What may be shown, each once; nothing where no sentence is left that answers."""
    found = {(one.shown.text, one.shown.role): one.shown for one in checked if one.shown is not None}
    kept = tuple(found.values())
    return kept if any(one.role is SentenceRole.ANSWER for one in kept) else ()


def advice_of(checked: Sequence[CheckedSentence]) -> tuple[Sentence, ...]:
    """What to do next where nothing answers: the sentences that were verified, and no quote in the place of others."""
    return tuple(one.shown for one in checked if one.shown is not None and not one.shown.quoted)


def missing_part(draft: Draft, inquiry: Inquiry) -> str:
    """What the pages do not answer, by the model, unless it has a number or name that the person did not use."""
    told, text = told_by(inquiry), draft.missing.strip(" .")
    known = KnownValues()
    known.add_typed(told)
    invented = next(known.missing(text), None)
    names = set(_CAPITALISED.findall(text)[1:]) - set(_CAPITALISED.findall(told.title()))
    return "" if invented is not None or names else text


def check_sentences(
    drafted: Sequence[DraftSentence],
    outcomes: Sequence[CheckedAnswer],
    shown: Shown,
    inquiry: Inquiry,
    pages: Pages,
) -> list[CheckedSentence]:
    """Every drafted sentence, checked; the first is held to the outcomes, too."""
    checking = [_Checking(one, shown, inquiry, pages) for one in drafted]
    names = frozenset().union(*(one.support.own_names for one in checking))
    made, results = [], frozenset[Value]()
    for one in checking:
        checked, results = one.run(names, results)
        made.append(checked)
    first = next((at for at, one in enumerate(made) if one.drafted.role is SentenceRole.ANSWER), None)
    if first is not None:
        problem = verdict_problem(made[first].drafted.text, outcomes)
        if problem:
            made[first] = _failed(made[first], problem)
    return made


class _Checking:
    """One sentence on its way: its sources, its sums, its claims."""

    def __init__(self, drafted: DraftSentence, shown: Shown, inquiry: Inquiry, pages: Pages) -> None:
        self._drafted, self._all, self._pages = drafted, shown, pages
        found = [shown.by_label[label] for label in drafted.sources if label in shown.by_label]
        self._usable = tuple(one for one in found if _may_be_cited(one))
        self.support = CitedSupport(self._usable, told_by(inquiry), inquiry.as_of or date.today(), pages)
        self._inquiry = inquiry

    def run(self, names: frozenset[str], results: frozenset[Value]) -> tuple[CheckedSentence, frozenset[Value]]:
        """Check it, and add the results of its sums to those of the sentences before it.

        ``names`` are those that any sentence of the reply has a source for.
        """
        text = self._drafted.text
        if not self._usable:
            problem = f"sentence {text[:80]!r}: cites no element that states it"
            return CheckedSentence(self._drafted, (problem,), None), results
        sums = computed_sums(self._drafted, self.support, results)
        for value in sums.values:
            self.support.values.add(value)
        found = [*sums.problems, *claim_problems(text, self.support, self._all, self._inquiry, sums, names)]
        sentence = self._sentence(sums)
        if not found:
            return CheckedSentence(self._drafted, (), sentence), sums.results
        problems = tuple(f"sentence {text[:80]!r}: {problem}" for problem in found)
        return CheckedSentence(self._drafted, problems, quote_of_sentence(sentence)), results

    def _sentence(self, sums: Sums) -> Sentence:
        evidence = self.support.evidence(self._drafted.text)
        return Sentence(self._drafted.text, evidence, self._drafted.role, False, sums.shown)


def _may_be_cited(shown: ShownElement) -> bool:
    return not shown.element.is_heading and not speaks_to_a_model(shown.element.text)


def quote_of_sentence(sentence: Sentence) -> Sentence:
    """The first place that a sentence cites, in the page's own words, in the place of the sentence."""
    evidence = sentence.evidence[:1]
    return Sentence(evidence[0].quote, evidence, sentence.role, True)


def _failed(checked: CheckedSentence, problem: str) -> CheckedSentence:
    told = f"sentence {checked.drafted.text[:80]!r}: {problem}"
    shown = checked.shown
    if shown is not None and not shown.quoted:
        shown = quote_of_sentence(shown)
    return CheckedSentence(checked.drafted, (*checked.problems, told), shown)


def verdict_problem(text: str, outcomes: Sequence[CheckedAnswer]) -> str:
    """Why a first sentence does not fit what the condition trees say; "" where it does or gives no verdict."""
    verdict = opening_verdict(text)
    verdicts = [one for one in outcomes if one.is_verdict and one.value is not False]
    if not verdict or not verdicts:
        return ""
    settled = {one.text for one in verdicts if one.value is True}
    if settled and verdict not in settled and len(verdicts) == len(settled):
        return f"it says {verdict!r}, but your conditions make it {next(iter(settled))!r}"
    is_open = not settled and {one.value for one in verdicts} == {None}
    if is_open and not any(word in text.lower() for word in _CONDITIONAL):
        return f"it says {verdict!r}, but a condition is open; say under which condition"
    return ""


def opening_verdict(text: str) -> str:
    """ "yes" or "no" where a text begins with it, else ""."""
    words = text.lstrip(_OPENING).split(None, 1)
    first = words[0].lower().strip(".,:;!—–-") if words else ""
    return first if first in VERDICTS else ""
