"""Answering without a model: what a graph answers outright, or a value that one sentence plainly states."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import replace

from clausegraph.core.language.lexicon import word_set
from clausegraph.core.language.normalise import tokens
from clausegraph.core.language.quantities import find_quantities
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import AnswerStatus, Evidence
from clausegraph.indexes.words import stems
from clausegraph.query.crag.types import (
    DONT_KNOW,
    Attributes,
    CragDraft,
    CragQuestion,
    KgFound,
    Reference,
    ReferenceKind,
)

_STOP = word_set(
    "a an the of in on at to for by with from as and or is are was were be been being do does did has have had it its"
    " this that these those there what which who whom whose when where why how many much long old tall far year day"
    " date time i we you he she they me my your his her their will would can could may might please tell know s"
)
_WHEN = re.compile(r"^\W*(?:when|(?:in |on )?(?:what|which) (?:year|date|day))\b", re.IGNORECASE)
_HOW_MUCH = re.compile(r"^\W*how (?:many|much|long|tall|far|old|high|big|large)\b", re.IGNORECASE)
_CLOCK = re.compile(r"\b\d{1,2}(?:[.:]\d\d)?\s?[ap]\.?m\b|\b\d{1,2}:\d\d\b|\b(?:noon|midnight)\b")
_UNIT = re.compile(
    r"\s?(?:million|billion|trillion|thousand|percent|%|km|miles|metres|meters|m|ft|feet|minutes|hours|years)\b"
)
_BOUND = re.compile(
    r"\b(?:up to|at (?:least|most)|(?:no |not )?(?:more|less|fewer) than|over|under|above|below|about|around"
    r"|nearly|almost|approximately|roughly|a (?:maximum|minimum) of|from|since|until|till|before|after|by)\s+$",
    re.IGNORECASE,
)  # before a number or a date, whose meaning it changes
_LOOKED_AT = 6  # pieces whose sentences are compared
_WORD = 0.15  # what a word that is shared counts beside the similarity, -1 to 1; chosen, not fitted


class SureAnswerer:
    """Asserts what is certain by its words, and abstains from all else."""

    def answer(
        self, question: CragQuestion, attributes: Attributes, references: tuple[Reference, ...], known: KgFound
    ) -> CragDraft:
        """A draft; mostly "i don't know"."""
        if known.answer:
            stated = tuple(one for one in known.references if one.kind is ReferenceKind.KG)
            return CragDraft(AnswerStatus.ANSWERED, known.answer, stated, {"by": "a fact of the graph"})
        found = _stated(question.text, references)
        values = {_key(value) for value, _, _ in found}
        if len(values) == 1:
            value, reference, quote = found[0]
            used = replace(reference, evidence=(quote,))
            return CragDraft(AnswerStatus.ANSWERED, value, (used,), {"by": "one sentence that has all words"})
        why = "sentences state different values" if values else "no sentence surely states it"
        return CragDraft(AnswerStatus.UNKNOWN, DONT_KNOW, (), {"because": why})


def telling(question: str) -> Set[str]:
    """Stems of the words that say what is asked about."""
    return {stem for word in tokens(question) if word not in _STOP for stem in stems(word)}


def _stated(question: str, references: tuple[Reference, ...]) -> list[tuple[str, Reference, Evidence]]:
    wanted = telling(question)
    if len(wanted) < 2 or not (_WHEN.search(question) or _HOW_MUCH.search(question)):
        return []
    found = []
    for reference in references:
        for quote in reference.evidence if reference.kind is ReferenceKind.WEB else ():
            if wanted <= set(stems(quote.quote)):
                values = list(_values(question, quote.quote))
                if len({_key(value) for value in values}) == 1:
                    found.append((values[0], reference, quote))
                elif values:
                    return []  # it has the words, and it cannot be said which value they are about
    return found


def _values(question: str, text: str) -> Iterator[str]:
    """The dates or numbers of a sentence, with the words that bound them: "up to 12" is not 12."""
    if is_when := _WHEN.search(question) is not None:
        yield from (clock[0] for clock in _CLOCK.finditer(text))
    for one in find_quantities(text):
        if (one.kind == "date") is is_when and text[one.start : one.end] not in question:
            bound, unit = _BOUND.search(text, 0, one.start), None if is_when else _UNIT.match(text, one.end)
            yield text[bound.start() if bound else one.start : unit.end() if unit else one.end]


def _key(value: str) -> str:
    return "".join(tokens(value))


def nearest_quotes(
    question: str, references: Sequence[Reference], embedder: Embedder | None, most: int
) -> tuple[Evidence, ...]:
    """At most so many, the nearest first.

    With an embedder all sentences of the first pieces are compared, so that the one that decides is quoted whichever
    page it stands on.
    """
    cited = [one.evidence for one in references if one.evidence]
    asked = telling(question)
    if embedder is None:
        return tuple(each_once(_by_words(asked, evidence) for evidence in cited))[:most]
    quotes = each_once(quote for evidence in cited[:_LOOKED_AT] for quote in evidence)
    if not quotes:
        return ()
    alike = embedder.embed_texts([quote.quote for quote in quotes]) @ embedder.embed_query(question)
    shared = _shared(asked, quotes)
    ranked = sorted(range(len(quotes)), key=lambda number: -(float(alike[number]) + _WORD * shared[number]))
    return tuple(quotes[number] for number in ranked[:most])


def each_once(evidence: Iterable[Evidence]) -> list[Evidence]:
    """The evidence in its order, each quote once: pages of one search copy their sentences.

    Case and punctuation do not count. Of two quotes one of which contains the other the longer one is kept, in the
    place of the first.
    """
    kept: list[tuple[str, Evidence]] = []
    for one in evidence:
        words = f" {' '.join(tokens(one.quote))} "
        if any(words in other for other, _ in kept):
            continue
        shorter = [place for place, (other, _) in enumerate(kept) if other in words]
        place = shorter[0] if shorter else len(kept)
        kept = [pair for number, pair in enumerate(kept) if number not in shorter]
        kept.insert(place, (words, one))
    return [one for _, one in kept]


def _by_words(asked: Set[str], evidence: Sequence[Evidence]) -> Evidence:
    shared = _shared(asked, evidence)
    return evidence[max(range(len(evidence)), key=shared.__getitem__)]


def _shared(asked: Set[str], evidence: Sequence[Evidence]) -> list[int]:
    """Of each how many words of the question it has that title and headings do not say already."""
    above = {stem for one in evidence for stem in stems(" ".join((one.title or "", *one.headings)))}
    return [len((asked - above) & set(stems(one.quote))) for one in evidence]
