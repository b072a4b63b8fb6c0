"""A JSON file that holds one list, as two kinds of source are kept."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from clausegraph.core.errors import SourceError
from clausegraph.ingestion.sources.files import read_regular

_MAX_BYTES = 200 * 1024 * 1024


def read_list(path: Path, of_what: str) -> list[Any]:
    """The list in a file; ``of_what`` says what it should be of.

    Raises:
        SourceError: the file cannot be read, is too large, is no JSON, or holds something else.
    """
    raw = read_regular(path, _MAX_BYTES)
    if isinstance(raw, str):
        raise SourceError(f"source {path} cannot be used: {raw}")
    try:
        found = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"source {path} is not valid JSON: {error}") from error
    if not isinstance(found, list):
        raise SourceError(f"source {path}: expected a list of {of_what}; got {type(found).__name__}")
    return found


def sound(text: str) -> str:
    """The text with each lone surrogate, which JSON can write and no database can store, shown as "?"."""
    return text.encode("utf-8", "replace").decode("utf-8")
