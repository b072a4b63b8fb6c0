"""Content hashes: one way to turn values into stable keys."""

from __future__ import annotations

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def content_hash(*parts: str | bytes) -> str:
    """128-bit hex hash of the parts; the boundaries between parts count."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()[:32]


def fact_id(subject_key: str, relation: str, object_key: str) -> str:
    """The identity of a fact within a corpus."""
    return content_hash("fact", subject_key, relation, object_key)
