"""Whether a text only greets or thanks."""

from __future__ import annotations

from clausegraph.core.language.normalise import tokens
from clausegraph.core.language.words import word_set

_GREETING = word_set(
    "hello hi hey hiya howdy greetings good morning afternoon evening day thanks thank you cheers there anyone"
    " anybody help please how are ok okay bye goodbye"
)
_OPENING = word_set("hello hi hey hiya howdy greetings good thanks thank cheers bye goodbye")


def is_greeting(text: str) -> bool:
    """Whether a text has no word but those of a greeting, and begins as one."""
    said = tokens(text)
    return bool(said) and said[0] in _OPENING and set(said) <= _GREETING
