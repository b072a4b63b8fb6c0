"""A conversation as one question: what was told before goes with it; "and if …?" is the question before, supposed."""

from __future__ import annotations

from collections.abc import Sequence

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.lexicon import word_set

_JOINING = word_set("and but so or then")
_ASKING = _JOINING | word_set(
    "how what when where whether which who whom whose why if am are can could did do does has have is may might must "
    "shall should was were will would"
)


def question_in_context(messages: Sequence[str], limit: int) -> tuple[str, str]:
    """The question of the last message, and the scenario: what the person told of themselves in those before.

    A last message that only supposes something ("and if she pays herself?") or tells something ("She pays herself.")
    is the question before with that in its scenario; one that goes on ("and how much?") has the question before there.

    Args:
        messages: of the person, none empty, oldest first; at least one.
        limit: characters of both in all; what was told first is left out beyond them.
    """
    *earlier, last = messages
    told, before = [], ""
    for message in earlier:
        if supposed := _supposed(message):
            told.append(supposed)
            continue
        sentences = [message[start:end].strip() for start, end in sentence_spans(message)]
        asked = [one for one in sentences if _asks(one)]
        told += [one for one in sentences if one not in asked]
        before = " ".join(asked) or before
    question, more = last, _supposed(last) or ("" if _asks(last) or "?" in last else last)
    if before and more:
        question = before
        told.append(more)
    elif before and _words(last)[0] in _JOINING:
        told.append(before)
    while told and len(question) + len(" ".join(told)) > limit:
        del told[0]
    return question, " ".join(told)


def _words(text: str) -> list[str]:
    return text.lower().replace(",", " ").split() or [""]


def _asks(sentence: str) -> bool:
    return sentence.endswith("?") or _words(sentence)[0] in _ASKING


def _supposed(message: str) -> str:
    """What "and if …?" supposes, as a sentence; empty for any other message, as for "If …, can I …?"."""
    words = message.rstrip("?!. ").split()
    while words and (words[0].lower() in _JOINING or words[0].lower() == "what"):
        del words[0]
    if len(words) < 3 or words[0].lower() != "if" or any(mark in message for mark in ",\n"):
        return ""
    return f"{' '.join(words[1:])}."
