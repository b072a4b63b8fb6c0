"""Types of entities: the shipped ones, and those of a file."""

from __future__ import annotations

from pathlib import Path

import pytest

from clausegraph.core.errors import SettingsError
from clausegraph.core.ontology import UNTYPED, policy_ontology, read_ontology

pytestmark = pytest.mark.unit

OWN = """
[vessel]
about = "a ship or boat"
words = ["ship", "ferry"]

[port]
words = ["Harbour"]
"""


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("employees", "person"),
        ("your employer's payment", "benefit"),
        ("Driver and Vehicle Standards Agency", "organisation"),
        ("local authorities", "organisation"),
        ("licences for taxis", "document"),
        ("form (Housing Benefit)", "document"),
        ("penalties", "tax"),
        ("county court hearing", "event"),
        ("income requirement", "condition"),
        ("EU countries", "place"),
        ("green door", UNTYPED),
    ],
)
def test_the_word_that_stands_last_decides(name: str, kind: str) -> None:
    assert policy_ontology().type_of(name) == kind


def test_the_guide_names_every_type() -> None:
    shipped = policy_ontology()
    assert [one.split(" (")[0] for one in shipped.guide.split("), ")] == [one.name for one in shipped.types]
    assert shipped.guide.startswith("role (persons by the part they play")
    assert all(one.about for one in shipped.types) and shipped.about("benefit").startswith("money or help")
    assert shipped.about("planet") == ""


def test_a_file_takes_the_place_of_the_shipped(tmp_path: Path) -> None:
    path = tmp_path / "own.toml"
    path.write_text(OWN, encoding="utf-8")
    own = read_ontology(path)
    assert [own.type_of(name) for name in ("old ferries", "harbours", "employee")] == ["vessel", "port", UNTYPED]
    assert own.digest != policy_ontology().digest and read_ontology(path) == own


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "has no type"),
        ("vessel = 1", "type 'vessel': expected a table"),
        ("[vessel]\nname = 'x'", "expected a table with about and words"),
        ("[vessel]\nwords = [1]", "words a list of texts"),
        ("[amount]\nwords = []", "none of amount"),
        ("[Ship]\nwords = []", "lower-case letters"),
        ("[vessel", "cannot be read"),
    ],
)
def test_a_file_that_is_none_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "own.toml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=message):
        read_ontology(path)
