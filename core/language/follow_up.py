"""A conversation as one question: what was told before goes with it; "and if …?" is the question before, supposed."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.lexicon import word_set

_JOINING = word_set("and but so or then")
_ASKING = _JOINING | word_set(
    "how what when where whether which who whom whose why if am are can could did do does has have is may might must "
    "shall should was were will would"
)


def question_in_context(messages: Sequence[str], limit: int) -> tuple[str, str]:
    """The question of the last of the messages of a person, oldest first, and the scenario: what they told before.

    A last message that only supposes something ("and if she pays herself?") or tells something ("She pays herself.")
    is the question before with that in its scenario; one that goes on ("and how much?") has the question before there.
    Beyond ``limit`` characters of both in all, what was told first is left out.
    """
    *earlier, last = messages
    told, before = [], ""
    for message in earlier:
        sentences = [_supposed(message)] if _supposed(message) else _sentences(message)
        before = " ".join(filter(_asks, sentences)) or before
        told += [one for one in sentences if not _asks(one)]
    question, more = last, _supposed(last) or ("" if any(map(_asks, _sentences(last))) else last)
    if before and more:
        question = before
        told.append(more)
    elif before and _first(last) in _JOINING:
        told.append(before)
    kept, left = deque[str](), limit - len(question)
    for one in reversed(told):
        left -= len(one) + 1
        if left < 0:
            break
        kept.appendleft(one)
    return question, " ".join(kept)


def _sentences(message: str) -> list[str]:
    return [message[start:end].strip() for start, end in sentence_spans(message)]


def _first(text: str) -> str:
    return next(iter(text.lower().replace(",", " ").split()), "")


def _asks(sentence: str) -> bool:
    return sentence.endswith("?") or _first(sentence) in _ASKING


def _supposed(message: str) -> str:
    """What "and if …?" supposes, as a sentence; empty for any other message, as for "If …, can I …?"."""
    words = message.rstrip("?!. ").split()
    begin = next((place for place, word in enumerate(words) if word.lower() == "if"), None)
    if begin is None or "," in message or {word.lower() for word in words[:begin]} - _JOINING - {"what"}:
        return ""
    return f"{' '.join(words[begin + 1 :])}."
