"""What differs between two answers to one question: its status, what is answered, values, conditions and sources.

Wording alone is no difference, nor are scores, the order of alternatives and the trace.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest

from pydantic import Field

from clausegraph.app.services import Record
from clausegraph.core.language.known_values import KnownValues
from clausegraph.core.language.normalise import common_share, content, normalise_text, tokens
from clausegraph.core.language.rewording import ALIKE, CONDITION, DAYS, condition_form, forces_of, insertion
from clausegraph.core.language.values import atoms, value_kind
from clausegraph.core.language.wording import condition_words
from clausegraph.core.presentation.wording import is_verdict, opposite
from clausegraph.core.serial import answer_from_json, answer_to_json, pack, unpack
from clausegraph.core.telemetry.logs import logger
from clausegraph.core.telemetry.redaction import error_fields
from clausegraph.core.text import one_line
from clausegraph.core.types import (
    Answer,
    AnswerStatus,
    Condition,
    JudgedCondition,
    PageKey,
    SentenceRole,
    leaves,
    mapped,
)
from clausegraph.indexes.watches import Watch, WatchChange

STATUS, ANSWER, VALUE, SOURCE = "status", "answer", "value", "source"
_SAID = (SentenceRole.ANSWER, SentenceRole.ITEM)
_SHOWN = 300  # characters of what differs

log = logger(__name__)


class AnswerDifference(Record):
    """One thing in which two answers differ."""

    what: str = Field(description="status, answer, value, condition or source.")
    old: str = Field(description="What only the old answer has, in words; empty where that is nothing.")
    new: str

    def line(self) -> str:
        """The difference in words."""
        old, new = (one_line(words, _SHOWN) or "(nothing)" for words in (self.old, self.new))
        return f"  {self.what}: {old} → {new}"


class ChangedAnswer(Record):
    """An answer to a watched question that became another one between two epochs."""

    id: int
    watch: int
    question: str
    since: int
    epoch: int
    created: float = Field(description="Seconds since 1970.")
    differences: list[AnswerDifference]

    def lines(self) -> list[str]:
        """The change in words."""
        head = f"{self.watch}: {one_line(self.question)} changed between epoch {self.since} and {self.epoch}"
        return [head, *(one.line() for one in self.differences)]


def changed_answer(watch: Watch, change: WatchChange) -> ChangedAnswer:
    """A change as the ledger has it."""
    differences = [AnswerDifference(**each) for each in unpack(change.change)]
    return ChangedAnswer.of(change, watch=watch.id, question=watch.question, differences=differences)


@dataclass(frozen=True)
class _Part:
    """A part of an answer that is compared: an alternative (``page`` is empty), or words of a page that it quotes."""

    page: str
    text: str
    is_verdict: bool = False
    condition: JudgedCondition | None = None

    @property
    def words(self) -> str:
        """As a difference shows it."""
        return f"{self.page}: {self.text}" if self.page else self.text


def answer_differences(before: Answer, after: Answer) -> list[AnswerDifference]:
    """What differs between two answers to one question; empty where they are the same answer."""
    found = []
    if before.status != after.status:
        found.append(AnswerDifference(what=STATUS, old=before.status.value, new=after.status.value))
    for was, now in _pairs(_alternatives(before), _alternatives(after)):
        found += _compared(was, now, ANSWER)
    told = list(found)
    for was, now in _pairs(_sources(before), _sources(after)):
        found += [one for one in _compared(was, now, SOURCE) if not any(_tells(each, one) for each in told)]
    return list(dict.fromkeys(found))


def _compared(was: _Part | None, now: _Part | None, what: str) -> Iterator[AnswerDifference]:
    if was is not None and now is not None and (what == ANSWER or _alike(was, now)):
        yield from _in_text(was.text, now.text, what)
        yield from _in_conditions(was.condition, now.condition)
    else:
        old, new = ("" if one is None else one.words for one in (was, now))
        yield AnswerDifference(what=what, old=old, new=new)


def _tells(told: AnswerDifference, one: AnswerDifference) -> bool:
    """Whether a difference of values is told by one of the answer itself or of a condition."""
    return one.what == VALUE and one.old in told.old and one.new in told.new


def _in_text(old: str, new: str, what: str) -> Iterator[AnswerDifference]:
    """How one text differs from another one, if not in its wording."""
    if _plain_words(old) == _plain_words(new):
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


def _alternatives(answer: Answer) -> list[_Part]:
    return [
        _Part(
            "", f"{one.text} (otherwise {opposite(one)})" if one.otherwise else one.text, is_verdict(one), one.condition
        )
        for one in answer.alternatives
    ]


def _sources(answer: Answer) -> list[_Part]:
    """What an answer quotes: each page with the words, and the items that they introduce."""
    sentences = [one for one in answer.sentences if one.role in _SAID and not answer.alternatives]
    found = chain(
        (evidence for one in answer.alternatives for evidence in (*one.evidence, *one.sources)),
        (evidence for one in sentences for evidence in one.evidence),
        answer.quotes if answer.status is AnswerStatus.QUOTED else (),
        (side for one in answer.contradictions for side in (one.newer, one.older)),
    )
    parts = []
    for one in found:
        items = one.items if one.quote.rstrip().endswith(":") else ()  # others of its list are not what is quoted
        parts += [_Part(str(one.page), words) for words in (one.quote, *items)]
    return list(dict.fromkeys(parts))


def _alike(one: _Part, other: _Part) -> float:
    """How much two parts say the same: from 0, for what is something else, to 3."""
    if one.page != other.page:
        return 0.0
    if _plain_words(one.text) == _plain_words(other.text):
        return 2.0 + (_form(one.condition) == _form(other.condition))
    if one.is_verdict or other.is_verdict:
        return 0.0
    kind = value_kind(one.text)
    share = common_share(content(one.text), content(other.text))
    return 1.0 if kind is not None and kind == value_kind(other.text) else share if share >= ALIKE else 0.0


def _plain_words(text: str) -> str:
    return normalise_text(text).lower()


def _plain(tree: JudgedCondition | None) -> Condition | None:
    return None if tree is None else mapped(tree, lambda judged: judged.leaf)


def _form(tree: JudgedCondition | None) -> object:
    return condition_form(_plain(tree), exceptions=True)


def _pairs(old: Sequence[_Part], new: Sequence[_Part]) -> Iterator[tuple[_Part | None, _Part | None]]:
    """Each old one with the new one that it became, the most alike first; what is left over beside each other."""
    ranked = sorted((-_alike(was, now), i, j) for i, was in enumerate(old) for j, now in enumerate(new))
    left, right = dict(enumerate(old)), dict(enumerate(new))
    for score, i, j in ranked:
        if score < 0 and i in left and j in right:
            yield left.pop(i), right.pop(j)
    yield from zip_longest(left.values(), right.values())


def quoted_pages(found: Answer) -> set[PageKey]:
    """The pages that an answer quotes."""
    quoted = chain(
        (place for one in found.alternatives for place in (*one.evidence, *one.sources)),
        (place for one in found.sentences for place in one.evidence),
        (side for one in found.contradictions for side in (one.newer, one.older)),
        found.quotes,
    )
    return {place.page for place in quoted}


def packed_answer(found: Answer) -> bytes:
    """An answer as it is stored: what the engine did on the way, and titles of other pages, are left out."""
    return pack(answer_to_json(replace(found, trace=(), nearby=())))


def stored_answer(watch: Watch, data: bytes | None) -> Answer | None:
    """A stored answer, which holds up to the watch's epoch; None where there is none that this version reads."""
    try:
        return None if data is None else replace(answer_from_json(unpack(data)), epoch=watch.epoch)
    except (ValueError, zlib.error) as error:
        log.warning("watch.not_read", watch=watch.id, **error_fields(error))
        return None
