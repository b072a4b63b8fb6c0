"""What differs between two answers to one question: its status, what is answered, values, conditions and sources.

Wording alone is no difference, nor are scores, the order of alternatives and the trace.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, zip_longest
from typing import TypeVar

from pydantic import Field

from clausegraph.app.services import Record
from clausegraph.core.language.known_values import KnownValues
from clausegraph.core.language.normalise import common_share, content, normalise_text, tokens
from clausegraph.core.language.rewording import ALIKE, CONDITION, DAYS, condition_form, forces_of, insertion
from clausegraph.core.language.values import atoms, value_kind
from clausegraph.core.language.wording import condition_words
from clausegraph.core.presentation.wording import is_verdict, opposite
from clausegraph.core.types import (
    Alternative,
    Answer,
    AnswerStatus,
    Condition,
    Evidence,
    JudgedCondition,
    PageKey,
    SentenceRole,
    leaves,
    mapped,
)

STATUS, ANSWER, VALUE, SOURCE = "status", "answer", "value", "source"
_SAID = (SentenceRole.ANSWER, SentenceRole.ITEM)
_SAME = 2.0  # how alike two are that are the same
T = TypeVar("T")
Pair = tuple[T | None, T | None]
_Place = tuple[PageKey, str]  # a page, and words of it


class AnswerDifference(Record):
    """One thing in which two answers differ."""

    what: str = Field(description="status, answer, value, condition or source.")
    old: str = Field(description="What only the old answer has, in words; empty where that is nothing.")
    new: str


def answer_differences(before: Answer, after: Answer) -> list[AnswerDifference]:
    """What differs between two answers to one question; empty where they are the same answer."""
    found = list(_differences(before, after))
    found += [one for one in _in_sources(before, after) if not any(_tells(each, one) for each in found)]
    return list(dict.fromkeys(found))


def _differences(before: Answer, after: Answer) -> Iterator[AnswerDifference]:
    if before.status != after.status:
        yield AnswerDifference(what=STATUS, old=before.status.value, new=after.status.value)
    for was, now in _pairs(before.alternatives, after.alternatives, _alike_answers):
        if was is None or now is None:
            old, new = ("" if one is None else _said(one) for one in (was, now))
            yield AnswerDifference(what=ANSWER, old=old, new=new)
        else:
            yield from _in_text(_said(was), _said(now), ANSWER)
            yield from _in_conditions(was.condition, now.condition)


def _in_sources(before: Answer, after: Answer) -> Iterator[AnswerDifference]:
    for left, right in _pairs(_sources(before), _sources(after), _alike_places):
        if left is not None and right is not None and _alike_places(left, right):
            yield from _in_text(left[1], right[1], SOURCE)
        else:
            old, new = ("" if one is None else f"{one[0]}: {one[1]}" for one in (left, right))
            yield AnswerDifference(what=SOURCE, old=old, new=new)


def _tells(told: AnswerDifference, one: AnswerDifference) -> bool:
    """Whether a difference of values is told by one of the answer itself or of a condition."""
    return one.what == VALUE and one.old in told.old and one.new in told.new


def _said(one: Alternative) -> str:
    return f"{one.text} (otherwise {opposite(one)})" if one.otherwise else one.text


def _in_text(old: str, new: str, what: str) -> Iterator[AnswerDifference]:
    """How one text differs from another one, if not in its wording."""
    if normalise_text(old).lower() == normalise_text(new).lower():
        return
    gone, came = _only_values(old, new), _only_values(new, old)
    if (gone or came) and what == ANSWER:
        yield AnswerDifference(what=VALUE, old=old, new=new)
    elif gone or came:
        yield AnswerDifference(what=VALUE, old="; ".join(dict.fromkeys(gone)), new="; ".join(dict.fromkeys(came)))
    elif not _is_reworded(old, new):
        yield AnswerDifference(what=what, old=old, new=new)


def _only_values(text: str, other: str) -> list[str]:
    """The values of a text, and its days and months by name, that are none of another one; "14 days" is "two weeks"."""
    missing = list(KnownValues(other).missing(text))
    known = set(tokens(other)) | {word for one in missing for word in tokens(one)}
    return [*missing, *(word for word in tokens(text) if word in DAYS and word not in known)]


def _is_reworded(old: str, new: str) -> bool:
    """Whether a text says with other words what another one does, its values being the same."""
    figures, others = _figures(old), _figures(new)
    if forces_of(old) != forces_of(new) or (figures != others and sorted(figures) == sorted(others)):
        return False  # also two values that changed places
    if insertion(old, new) is not None:
        return False  # "or by post" was put in
    was, now = _words_beside_values(old), _words_beside_values(new)
    return not was or not now or common_share(was, now) >= ALIKE


def _words_beside_values(text: str) -> frozenset[str]:
    for value in reversed(list(atoms(text))):
        text = f"{text[: value.start]} {text[value.end :]}"
    return content(text)


def _figures(text: str) -> list[str]:
    return [word for word in tokens(text) if any(map(str.isdigit, word))]


def _in_conditions(was: JudgedCondition | None, now: JudgedCondition | None) -> Iterator[AnswerDifference]:
    plain = [_plain(tree) for tree in (was, now)]
    if _form(was) != _form(now):
        yield AnswerDifference(what=CONDITION, old=condition_words(plain[0]), new=condition_words(plain[1]))
        return
    states = [{condition_form(leaf.leaf): leaf for leaf in leaves(tree)} for tree in (was, now)]
    for key in states[0].keys() & states[1].keys():
        old, new = (side[key] for side in states)
        if old.state != new.state:
            words = old.leaf.words
            yield AnswerDifference(what=CONDITION, old=f"{old.state}: {words}", new=f"{new.state}: {words}")


def _sources(answer: Answer) -> list[_Place]:
    """The places that an answer rests on: each page with the quoted words."""
    sentences = [one for one in answer.sentences if one.role in _SAID and not answer.alternatives]
    found = chain(
        (evidence for one in answer.alternatives for evidence in (*one.evidence, *one.sources)),
        (evidence for one in sentences for evidence in one.evidence),
        answer.quotes if answer.status is AnswerStatus.QUOTED else (),
        (side for one in answer.contradictions for side in (one.newer, one.older)),
    )
    return list(dict.fromkeys((one.page, words) for one in found for words in _quoted(one)))


def _quoted(one: Evidence) -> Iterable[str]:
    """The quote, and the items that it introduces; others of its list are not what is quoted."""
    return (one.quote, *one.items) if one.quote.rstrip().endswith(":") else (one.quote,)


def _alike_answers(one: Alternative, other: Alternative) -> float:
    if normalise_text(one.text).lower() == normalise_text(other.text).lower():
        return _SAME + (_form(one.condition) == _form(other.condition))
    if is_verdict(one) or is_verdict(other):
        return 0.0
    kind = value_kind(one.text)
    share = common_share(content(one.text), content(other.text))
    return 1.0 if kind is not None and kind == value_kind(other.text) else share if share >= ALIKE else 0.0


def _plain(tree: JudgedCondition | None) -> Condition | None:
    return None if tree is None else mapped(tree, lambda judged: judged.leaf)


def _form(tree: JudgedCondition | None) -> object:
    return condition_form(_plain(tree), exceptions=True)


def _alike_places(one: _Place, other: _Place) -> float:
    if one[0] != other[0]:
        return 0.0
    share = common_share(content(one[1]), content(other[1]))
    return _SAME if one[1] == other[1] else share if share >= ALIKE else 0.0


def _pairs(old: Sequence[T], new: Sequence[T], alike: Callable[[T, T], float]) -> Iterator[Pair[T]]:
    """Each old one with the new one that it became, the most alike first; what is left over beside each other."""
    ranked = sorted((-alike(was, now), i, j) for i, was in enumerate(old) for j, now in enumerate(new))
    left, right = dict(enumerate(old)), dict(enumerate(new))
    for score, i, j in ranked:
        if score < 0 and i in left and j in right:
            yield left.pop(i), right.pop(j)
    yield from zip_longest(left.values(), right.values())
