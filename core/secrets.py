"""The secrets that this process knows, and how they are found in a text, however it is escaped.

Whatever a server sends may hold the key that it was sent: in its reply, in an error, in pieces of a stream. A reply is
masked where it comes in (``core.models.driver``), so that nothing behind it, cache, ledger and report, can
keep the key; what leaves the process is masked once more (``core.telemetry.redaction``).
"""

from __future__ import annotations

import re
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache

MASK = "***"
_SHORTEST = 4  # shorter ones would mask every other word
_SHORTEST_IN_REPLIES = 8
_LONG = 16  # as long as this no word is
_BEGINNING = 4  # characters of a secret by which one that is still being sent is known
_UNSURE = 48  # characters at the end of a growing text that may be less than that, escapes within escapes
_UNSEEN = "[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]{0,2}"  # letters that nobody sees, and that names are rid of
_SLASHES = r"\\{0,8}"  # an escape within an escape, eight deep

_known: set[str] = set()


def register_secret(value: str) -> None:
    """Mask this value wherever it would leave or be kept. One under four characters cannot be."""
    if len(value) >= _SHORTEST:
        _known.add(value)


def mask(text: str) -> str:
    """The text without the secrets, as it may leave the process."""
    for form in _forms(frozenset(_known)):
        text = form.masked(text)
    return text


def mask_reply(text: str) -> str:
    """A server's text without the secrets that are told from words: a key such as "anything" is not looked for."""
    for form in _forms(_telling(_known)):
        text = form.masked(text)
    return text


def safe_length(text: str) -> int:
    """How much of the beginning of a text that is still being sent can be shown: a secret may have begun after it."""
    forms = _forms(_telling(_known))
    if not forms:
        return len(text)
    return min(max(0, len(text) - _UNSURE), *(form.beginning_in(text) for form in forms))


def _telling(secrets: Iterable[str]) -> frozenset[str]:
    """Secrets that no page has as a word: long ones, and those of eight characters or more with a digit."""
    return frozenset(
        secret
        for secret in secrets
        if len(secret) >= _LONG or (len(secret) >= _SHORTEST_IN_REPLIES and any(c.isdigit() for c in secret))
    )


@dataclass(frozen=True, slots=True)
class _Form:
    """One way a secret is written: its pattern, the pattern of its beginning, and whether a text is worth searching."""

    whole: re.Pattern[str]
    beginning: re.Pattern[str]
    longest: int  # characters that it has at most
    may_be_in: Callable[[str], bool]

    def masked(self, text: str) -> str:
        return self.whole.sub(MASK, text) if self.may_be_in(text) else text

    def beginning_in(self, text: str) -> int:
        start = max(0, len(text) - self.longest)
        found = self.beginning.search(text, start)
        return found.start() if found else len(text)


@lru_cache(maxsize=8)
def _forms(secrets: frozenset[str]) -> tuple[_Form, ...]:
    """Longest secrets first: one may be part of another."""
    found: list[_Form] = []
    for secret in sorted(secrets, key=len, reverse=True):
        found.append(_escaped(secret))
        found += [_literal(text) for text in _encoded(secret)]
    return tuple(found)


def _escaped(secret: str) -> _Form:
    """The secret itself, each of its characters plain or escaped as JSON, Python, HTML or an address would."""
    letters = [_letter(secret[0], r"\\?")] + [_letter(c, _SLASHES) for c in secret[1:]]
    between = f"(?:{_UNSEEN})"
    plain = secret[: _BEGINNING - 1].casefold()
    return _Form(
        re.compile(between.join(letters), re.IGNORECASE),
        re.compile(between.join(letters[:_BEGINNING]), re.IGNORECASE),
        20 * len(secret),
        lambda text: any(mark in text for mark in ("\\", "%", "&#")) or _has(text, plain),
    )


def _has(text: str, plain: str) -> bool:
    return plain in text.casefold() or not text.isascii()


def _letter(c: str, slashes: str) -> str:
    code = ord(c)
    ways = [re.escape(c), rf"u(?:00)?{code:04x}", rf"x{code:02x}"]
    quoted = "".join(f"%(?:25)*{byte:02x}" for byte in c.encode("utf-8", "surrogatepass"))
    return rf"(?:{slashes}(?:{'|'.join(ways)})|{quoted}|&#x0{{0,6}}{code:x};|&#0{{0,6}}{code};)"


def _literal(text: str) -> _Form:
    beginning = text[:_BEGINNING]
    return _Form(re.compile(re.escape(text)), re.compile(re.escape(beginning)), len(text), lambda shown: text in shown)


def _encoded(secret: str) -> list[str]:
    """Base64, in either alphabet and wherever in it the secret begins, and hexadecimal digits; what is long enough."""
    data = secret.encode("utf-8", "surrogatepass")
    found = {data.hex(), data.hex().upper()}
    for before in range(3):
        padded = b"\0" * before + data
        start, end = -(-before * 8 // 6), len(padded) * 8 // 6  # characters that depend on the secret alone
        found |= {encode(padded).decode()[start:end] for encode in (b64encode, urlsafe_b64encode)}
    return sorted((form for form in found if len(form) >= _SHORTEST_IN_REPLIES), key=len, reverse=True)
