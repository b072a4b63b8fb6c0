"""A known secret is found in a text in whichever form it comes, and nothing else is masked."""

import json
from base64 import b64encode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from urllib.parse import quote

import pytest

from clausegraph.core import secrets
from clausegraph.core.secrets import MASK, mask, mask_reply, register_secret
from tests.harness.wait import no_hang

KEY = 'sk-Secret/0123+45"6789=='

FORMS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "upper": str.upper,
    "json": lambda key: json.dumps(key)[1:-1],
    "json_slashes": lambda key: json.dumps(key)[1:-1].replace("/", "\\/"),
    "json_in_json": lambda key: json.dumps(json.dumps(key))[3:-3],
    "escapes": lambda key: "".join(f"\\u{ord(c):04X}" for c in key),
    "escapes_in_json": lambda key: json.dumps("".join(f"\\u{ord(c):04x}" for c in key))[1:-1],
    "python": lambda key: "".join(f"\\x{ord(c):02x}" for c in key),
    "some_escapes": lambda key: "".join(c if n % 3 else f"\\u{ord(c):04x}" for n, c in enumerate(key)),
    "address": lambda key: quote(key, safe=""),
    "address_twice": lambda key: quote(quote(key, safe=""), safe=""),
    "html": lambda key: "".join(f"&#{ord(c)};" for c in key),
    "html_hex": lambda key: "".join(f"&#x{ord(c):X};" for c in key),
    "unseen": "\u200b".join,
    "hex": lambda key: key.encode().hex(),
}
CODINGS: dict[str, Callable[[bytes], bytes]] = {"base64": b64encode, "base64url": urlsafe_b64encode}


@pytest.fixture(autouse=True)
def _known() -> Iterator[None]:
    before = set(secrets._known)
    secrets._known.clear()
    register_secret(KEY)
    yield
    secrets._known.clear()
    secrets._known.update(before)


@pytest.mark.parametrize("form", FORMS)
def test_every_form_is_masked(form: str) -> None:
    text = f'the key is "{FORMS[form](KEY)}".'
    for masked in (mask(text), mask_reply(text)):
        assert masked.replace("\\", "") == f'the key is "{MASK}".'


@pytest.mark.parametrize("coding", CODINGS)
@pytest.mark.parametrize("before", ["", "x", "xy", "Bearer ", "user:"])
def test_wherever_it_begins_in_base64(coding: str, before: str) -> None:
    masked = mask_reply(CODINGS[coding](f"{before}{KEY}".encode()).decode())
    assert MASK in masked and len(masked) < len(before) * 2 + 10


def test_the_rest_of_a_text_stays() -> None:
    text = 'You get £10.50 (50%) if "a\\b" & c; see http://127.0.0.1/x?y=%20. Secrets such as sk-Other stay.'
    assert mask_reply(text) == text
    assert mask_reply(f"{text}{KEY}{text}") == f"{text}{MASK}{text}"


@pytest.mark.parametrize(
    ("secret", "in_replies"), [("fake", False), ("anything", False), ("pass-1234", True), ("x" * 16, True)]
)
def test_a_key_that_may_be_a_word_is_masked_in_logs_only(secret: str, in_replies: bool) -> None:
    register_secret(secret)
    assert mask(f"a {secret} b") == f"a {MASK} b"
    assert mask_reply(f"a {secret} b") == (f"a {MASK} b" if in_replies else f"a {secret} b")


@pytest.mark.parametrize("piece", ["\\", KEY[:-1]])
def test_megabytes_take_linear_time(piece: str) -> None:
    with no_hang():
        assert mask_reply(piece * (1_000_000 // len(piece)))
