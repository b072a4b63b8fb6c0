"""Decoding: declarations that are right, wrong, missing or impossible."""

import codecs

import pytest

from clausegraph.core.pages.decode import decode_page

TEXT = "<p>You’ll get £20 – “free”, café</p>"


def declared(name: str) -> str:
    return f'<meta charset="{name}">{TEXT}'


@pytest.mark.parametrize(
    ("declaration", "encoding"),
    [
        ("utf-8", "utf-8"),
        ("iso-8859-1", "utf-8"),  # UTF-8 bytes declared Latin-1
        ("utf-8", "cp1252"),  # and the reverse
        ("iso-8859-1", "cp1252"),  # Latin-1 means Windows-1252
        ("windows-1252", "cp1252"),
        ("no-such-charset", "cp1252"),
        ("utf-16", "utf-8"),  # cannot be: the declaration was readable
        ("base64", "utf-8"),
    ],
)
def test_declarations(declaration: str, encoding: str) -> None:
    assert TEXT in decode_page(declared(declaration).encode(encoding))


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_no_declaration(encoding: str) -> None:
    assert decode_page(TEXT.encode(encoding)) == TEXT


@pytest.mark.parametrize(
    ("mark", "encoding"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (b"", "utf-16-le"),
        (b"", "utf-16-be"),
    ],
)
def test_byte_order_marks(mark: bytes, encoding: str) -> None:
    assert decode_page(mark + TEXT.encode(encoding)) == TEXT


def test_other_declared_encodings() -> None:
    assert "Überprüfung" in decode_page('<meta charset="iso-8859-2">Überprüfung'.encode("iso-8859-2"))
    assert "住民" in decode_page('<meta charset="iso-2022-jp">住民'.encode("iso-2022-jp"))
    assert "住民" in decode_page('<meta charset="shift_jis">住民サービス'.encode("shift_jis"))


def test_damaged_utf8_keeps_what_is_sound() -> None:
    raw = declared("utf-8").encode().replace("café".encode(), b"caf\xc3")
    assert "You’ll get £20" in decode_page(raw)


def test_nul_bytes_are_dropped() -> None:
    assert decode_page(b"<p>one\x00 two</p>") == "<p>one two</p>"
