"""Replies to requests for embeddings. The other modes spoil those too, where they are not about a chat."""

import base64
from typing import Any

from tests.injection.servers.hostile.asked import OtherBody, Sent


def _data(asked: Sent, vector: Any) -> dict[str, Any]:
    given = asked.body.get("input")
    count = len(given) if isinstance(given, list) else 1
    items = [{"object": "embedding", "index": number, "embedding": vector} for number in range(count)]
    return asked.changed(data=items)


def _each(about: str, vector: Any) -> OtherBody:
    return OtherBody(about, lambda asked: _data(asked, vector))


VECTORS: dict[str, OtherBody] = {
    "vectors_few": OtherBody(
        "one vector for all texts", lambda asked: asked.changed(data=_data(asked, [0.5] * 8)["data"][:1])
    ),
    "vectors_many": OtherBody(
        "ten vectors a text", lambda asked: asked.changed(data=_data(asked, [0.5] * 8)["data"] * 10)
    ),
    "vectors_short": _each("vectors of one number", [1.0]),
    "vectors_empty": _each("vectors of no number", []),
    "vectors_zero": _each("vectors of zeros", [0.0] * 384),
    "vectors_nan": _each("vectors of NaN", [float("nan")] * 384),
    "vectors_infinite": _each("vectors of infinity", [float("inf")] * 384),
    "vectors_huge": _each("vectors of 1e300", [1e300] * 384),
    "vectors_digits": _each("vectors of 10**400", [10**400] * 384),
    "vectors_texts": _each("vectors of words", ["one", "two"]),
    "vectors_nested": _each("vectors of vectors", [[0.5], [0.5]]),
    "vectors_null": _each("vectors that are null", None),
    "vectors_object": _each("vectors that are objects", {"a": 1}),
    "vectors_base64": _each("vectors that are no base64", "!!!"),
    "vectors_odd_bytes": _each("vectors of seven bytes", base64.b64encode(b"1234567").decode()),
    "vectors_mixed": OtherBody(
        "vectors of different lengths",
        lambda asked: asked.changed(
            data=[
                item | {"embedding": [0.5] * (3 + number % 2)} for number, item in enumerate(_data(asked, [])["data"])
            ]
        ),
    ),
    "vectors_index": OtherBody(
        "vectors with wrong places",
        lambda asked: asked.changed(data=[item | {"index": "x"} for item in _data(asked, [0.5] * 384)["data"]]),
    ),
}
