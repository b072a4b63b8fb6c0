"""Each sentence that a model writes for the person is held to the elements that it cites.

Its numbers, names and modal words stand there, in what the person said, or are computed by code; its conditions are
those of the page; its "yes" or "no" is that of the condition trees. What fails is a problem, which one repair may mend;
then its quote takes its place, and a sentence without a source is left out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date

from clausegraph.core.condition_trees import VERDICTS
from clausegraph.core.expression import Value
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.known_values import KnownValues
from clausegraph.core.language.lexicon import MONTHS, WEEKDAYS, WordTable
from clausegraph.core.language.modals import (
    ModalClass,
    ModalUse,
    is_denying,
    is_duty,
    is_obliging,
    is_soft,
    is_uncertain,
    modal_uses,
)
from clausegraph.core.language.normalise import content
from clausegraph.core.language.values import atoms
from clausegraph.core.types import Sentence, SentenceRole
from clausegraph.query.read.model.check import Checked, CheckedAnswer, CheckedSentence, check_draft
from clausegraph.query.read.model.schema import Draft, DraftSentence
from clausegraph.query.read.model.shown import Shown, ShownElement
from clausegraph.query.read.model.support import CitedSupport, Sums, addresses, cited_words, computed_sums, words_of
from clausegraph.query.read.protocol import Pages

_TABLE = WordTable(__file__)

_LEAST_TERMS = 0.4  # share of a sentence's or condition's terms that its sources or the person must have
_LEAST_OF_CONDITION = 0.6
_FEW = 2  # terms of a sentence: fewer say too little to be judged
_BEFORE, _AFTER = 50, 80  # characters around a modal word that are compared
_NAME = re.compile(r"(?<![.!?:“\"] )(?<!^)(?<![\w’'])[A-Z][\w’'-]*(?:\s+[A-Z][\w’'-]*)*")
_CLAUSE = _TABLE.pattern("clause")
_NOT_NAMES = cited_words(" ".join((*WEEKDAYS, *MONTHS)) + " i im id ive ill yes no you your we it the a an if unless")
_COMMANDS = _TABLE.pattern("commands")
_BOUND = re.compile(r"\b(?:up to|about|around|approximately|roughly)\b", re.IGNORECASE)
_BOUNDED = _TABLE.pattern("bounded")
_JOINING = content(_TABLE.file["words"]["joining"])
_WISH = re.compile(r"\b(?:if|whether|where|when) (?:you|they|he|she)(?: still| also)? $", re.IGNORECASE)
_EXCEPTION = re.compile(r"\b(?:unless|except)\b", re.IGNORECASE)
_COMPATIBLE: dict[ModalClass, frozenset[ModalClass]] = {
    ModalClass.MAY: frozenset({ModalClass.MAY, ModalClass.PERMISSION, ModalClass.HEDGE}),
    ModalClass.PERMISSION: frozenset({ModalClass.MAY, ModalClass.PERMISSION, ModalClass.HEDGE}),
    ModalClass.HEDGE: frozenset({ModalClass.MAY, ModalClass.HEDGE}),
}


def speaks_to_a_model(text: str) -> bool:
    """Whether a text of a page gives orders to whoever processes it: no evidence for a person."""
    return _COMMANDS.search(text) is not None


def claim_problems(
    text: str, support: CitedSupport, shown: Shown, inquiry: Inquiry, sums: Sums, names: frozenset[str]
) -> Iterator[str]:
    """What a sentence says that its sources do not, each as an instruction to the one who wrote it.

    ``names``: words of the sources of all sentences of the reply; a name that one of them has introduced is known.
    """
    if speaks_to_a_model(text):
        yield "it passes on an order of a page; leave it out"
    for value in dict.fromkeys(support.values.missing(text)):
        yield f"{value!r} stands in none of its sources; cite where it stands, or compute it in sums"
    yield from _names(text, support, names)
    yield from _conditions(text, support, shown)
    for check in _CHECKS:
        yield from check(text, support)
    yield from _other_page(text, support, shown, inquiry)
    yield from _other_row(text, support, shown, sums)


def _names(text: str, support: CitedSupport, names: frozenset[str]) -> Iterator[str]:
    known = f"{support.text}\n{support.context}\n{support.told}"
    for address in sorted(addresses(text)):
        if address not in known:
            yield f"{address!r} stands in none of its sources"
        text = text.replace(address, "")
    plain = _without_days(text)
    for match in _NAME.finditer(plain):
        unknown = cited_words(match[0]) - names - _NOT_NAMES
        if unknown:
            yield f"{match[0]!r} stands in none of its sources; cite where it stands or leave it out"


def _without_days(text: str) -> str:
    """A text without its dates, which are held to the sources as values."""
    for value in reversed([one for one in atoms(text) if one.kind == "date"]):
        text = f"{text[: value.start]}{text[value.end :]}"
    return text


def _claimed_terms(text: str) -> set[str]:
    """Content terms but words that only join clauses, and numbers, which are held to the sources as values."""
    return {term for term in content(text) - _JOINING if not any(c.isdigit() for c in term)}


def _terms(text: str, support: CitedSupport) -> Iterator[str]:
    """Whether its content comes from the sources at all."""
    wanted = _claimed_terms(text) - support.told_terms
    if len(wanted) > _FEW and len(wanted & support.terms) < _LEAST_TERMS * len(wanted):
        yield f"its sources hardly say this ({', '.join(sorted(wanted - support.terms)[:6])})"


def _conditions(text: str, support: CitedSupport, shown: Shown) -> Iterator[str]:
    """Conditions whose words neither the cited sections nor the person used."""
    sections = {(one.page, one.element.headings) for one in support.cited}
    have = support.terms | support.told_terms
    have |= content(
        " ".join(one.element.text for one in shown.elements if (one.page, one.element.headings) in sections)
    )
    for match in _CLAUSE.finditer(text):
        wanted = _claimed_terms(_without_days(match[1]))
        if wanted and len(wanted & have) < _LEAST_OF_CONDITION * len(wanted):
            yield f"the condition {match[0].strip()[:60]!r} stands in none of its sources"


def _modality(text: str, support: CitedSupport) -> Iterator[str]:
    stated = list(modal_uses(support.text))
    denied = text.lower().startswith("no")  # held to the condition trees
    for use in modal_uses(text):
        if use.kind is ModalClass.PERMISSION and _BOUNDED.search(text):
            continue  # "you can borrow up to 5": the page may say "cannot borrow more than 5"
        if _WISH.search(text[: use.start]) and use.verb != "":
            continue  # "if you need help": whether they do is theirs to say
        if denied and use.kind in (ModalClass.EXEMPTION, ModalClass.PROHIBITION):
            continue
        beside = [one for one in stated if use.verb and one.verb == use.verb]
        if any(_compatible(use, one) for one in beside):
            continue
        near = support.near(text[max(0, use.start - _BEFORE) : use.start + _AFTER])
        if beside and not _is_stated_elsewhere(use, near):
            yield f"it says {use.words!r}, its source {beside[0].words!r}; keep the page's word"
        elif not beside and not _agrees(use, " ".join(near), support.context):
            yield f"it says {use.words!r}, its source only {' '.join(near)[:80]!r}; keep the page's word"


def _is_stated_elsewhere(use: ModalUse, near: Sequence[str]) -> bool:
    """Whether a duty stands in a sentence without another modal word of that verb, or an exemption in an exception."""
    if use.kind is ModalClass.EXEMPTION:
        return any(_EXCEPTION.search(sentence) for sentence in near)
    others = [one for one in near if not any(stated.verb == use.verb for stated in modal_uses(one))]
    return use.kind is ModalClass.OBLIGATION and any(map(is_obliging, others))


def _agrees(use: ModalUse, near: str, headings: str) -> bool:
    """Whether the nearest sentence of the sources is as strong as a modal word."""
    match use.kind:
        case ModalClass.OBLIGATION:
            return is_obliging(near) or is_duty(headings)
        case ModalClass.EXEMPTION | ModalClass.PROHIBITION:
            return is_denying(near)
        case ModalClass.MAY | ModalClass.HEDGE:
            return is_soft(near) or not is_obliging(near)
        case _:
            return True


def _compatible(use: ModalUse, stated: ModalUse) -> bool:
    allowed = _COMPATIBLE.get(use.kind, frozenset({use.kind}))
    return stated.kind in allowed


def _certainty(text: str, support: CitedSupport) -> Iterator[str]:
    nearest = support.nearest(text)
    if " | " not in nearest and is_uncertain(nearest) and not is_soft(text):
        yield f"its source leaves it open ({nearest[:80]!r}); keep that word"
    if support.values_only_bounded(text, _BOUND) and not _BOUNDED.search(text):
        yield "its source gives the value as a bound (up to, about, at least); keep that word"


def _other_page(text: str, support: CitedSupport, shown: Shown, inquiry: Inquiry) -> Iterator[str]:
    """A sentence on what another page says must name it, where the question names its page."""
    asked = content(inquiry.question)
    distinctive = {
        page: content(title) - set().union(*(content(t) for p, t in shown.titles.items() if p != page))
        for page, title in shown.titles.items()
    }
    named = {page for page, terms in distinctive.items() if terms and terms <= asked}
    cited = {one.page for one in support.cited}
    if named and not named & cited:
        said = content(text)
        if not any(distinctive[page] & said for page in cited if page in distinctive):
            titles = ", ".join(sorted(shown.titles[page] for page in cited))
            yield f"it is from {titles!r}, not the page that was asked about; say so in the sentence or leave it out"


def _other_row(text: str, support: CitedSupport, shown: Shown, sums: Sums) -> Iterator[str]:
    """A value of one row must not be told of what another row of the table is about."""
    rows = [one for one in support.cited if one.element.tag == "tr" and any(one.element.headers)]
    cited = [_first_cell(one) for one in rows]
    if not rows or sums.values or any(cell and cell in text.lower() for cell in cited):
        return
    for other in shown.elements:
        same = any(other.page == one.page and other.element.headers == one.element.headers for one in rows)
        cell = _first_cell(other)
        if same and other not in rows and len(cell) > 1 and re.search(rf"(?<!\w){re.escape(cell)}(?!\w)", text.lower()):
            yield f"it speaks of {cell!r}, but cites another row of the table"


def _first_cell(shown: ShownElement) -> str:
    return shown.element.text.split(" | ")[0].strip().lower()


_CHECKS: tuple[Callable[[str, CitedSupport], Iterator[str]], ...] = (_terms, _modality, _certainty)


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
    told, text = words_of(inquiry), draft.missing.strip(" .")
    known = KnownValues()
    known.add_typed(told)
    invented = next(known.missing(text), None)
    names = set(_CAPITALISED.findall(text)[1:]) - set(_CAPITALISED.findall(told.title()))
    return "" if invented is not None or names or not any(map(str.isalpha, text)) else text


def check_sentences(
    drafted: Sequence[DraftSentence],
    outcomes: Sequence[CheckedAnswer],
    shown: Shown,
    inquiry: Inquiry,
    pages: Pages,
) -> list[CheckedSentence]:
    """Every drafted sentence, checked; the first that answers is held to the outcomes, too.

    A name may stand in the sources of any sentence of the reply, and a sum may use the results of those before it.
    """
    told, today = words_of(inquiry), inquiry.as_of or date.today()
    supports = [CitedSupport(_citable(one, shown), told, today, pages) for one in drafted]
    names = frozenset().union(*(support.own_names for support in supports))
    made, results = [], frozenset[Value]()
    is_first = True
    for one, support in zip(drafted, supports, strict=True):
        found = ["cites no element that states it"]
        sums = Sums()
        if support.cited:
            sums = computed_sums(one, support, results)
            for value in sums.values:
                support.values.add(value)
            found = [*sums.problems, *claim_problems(one.text, support, shown, inquiry, sums, names)]
            results = results if found else sums.results
        if is_first and one.role is SentenceRole.ANSWER:
            is_first = False
            found += filter(None, [verdict_problem(one.text, outcomes)])
        problems = tuple(f"sentence {one.text[:80]!r}: {problem}" for problem in found)
        made.append(CheckedSentence(one, problems, _shown(one, support, sums, is_quoted=bool(found))))
    return made


def _citable(drafted: DraftSentence, shown: Shown) -> tuple[ShownElement, ...]:
    """The elements that a sentence cites but headings, and those that give orders to a model."""
    found = (shown.by_label[label] for label in drafted.sources if label in shown.by_label)
    return tuple(one for one in found if not one.element.is_heading and not speaks_to_a_model(one.element.text))


def _shown(drafted: DraftSentence, support: CitedSupport, sums: Sums, *, is_quoted: bool) -> Sentence | None:
    """A sentence with its evidence, or in its place the first element that it cites; None where it cites none."""
    evidence = support.evidence(drafted.text)
    if not evidence:
        return None
    if is_quoted:
        return Sentence(evidence[0].quote, evidence[:1], drafted.role, True)
    return Sentence(drafted.text, evidence, drafted.role, False, sums.shown)


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
