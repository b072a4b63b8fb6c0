"""How the fake counts tokens, and where it cuts a reply that has too many."""

from __future__ import annotations

_BYTES_PER_TOKEN = {"approximate": 4, "bytes": 1}


def count_tokens(text: str, how: str) -> int:
    """Tokens of a text: ceil(UTF-8 bytes / 4) when ``how`` is "approximate", one a byte when it is "bytes"."""
    size = len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))
    return -(-size // _BYTES_PER_TOKEN[how])


def cut_to_tokens(text: str, limit: int, how: str) -> str:
    """The longest beginning of a text that has at most ``limit`` tokens and splits no character."""
    data = text.encode("utf-8", "surrogatepass")[: max(0, limit) * _BYTES_PER_TOKEN[how]]
    return data.decode("utf-8", "ignore")
