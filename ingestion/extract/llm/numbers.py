"""Element numbers as models write them."""

from __future__ import annotations

from typing import Any

_MAX_DIGITS = 9


def element_number(value: Any) -> int | None:
    """A number of an element: a positive integer, also as a whole float or a text of digits; none for all else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        digits = value.strip()
        return int(digits) if digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS else None
    if isinstance(value, float):
        return int(value) if value.is_integer() and 0 < value < 10**_MAX_DIGITS else None
    return value if isinstance(value, int) and 0 < value < 10**_MAX_DIGITS else None
