"""Whom a page addresses: by its title, and by the headings of its sections."""

import pytest

from clausegraph.core.language.address import Addressee, third_party
from tests.harness.tables import rows


@pytest.mark.parametrize(("title", "role"), rows(__file__, "a title, and whom it addresses"))
def test_the_title_names_a_role(title: str, role: str) -> None:
    assert Addressee(title).reader(()) == role


@pytest.mark.parametrize(
    ("heading", "role"), rows(__file__, "a heading of the page Rent Supplement, and whom it addresses")
)
def test_a_heading_may_name_another(heading: str, role: str) -> None:
    assert Addressee("Rent Supplement").reader(("Rent Supplement", heading)) == role


@pytest.mark.parametrize(
    ("said", "role"),
    [
        ("Ask your landlord to mend it.", "tenant"),
        ("Give your tenant a receipt.", "landlord"),
        ("Ask your landlord, or your tenants.", "person dealing with damp homes"),  # both sides: nobody in particular
        ("Open the windows.", "person dealing with damp homes"),
    ],
)
def test_who_has_a_landlord_is_a_tenant(said: str, role: str) -> None:
    assert Addressee("Damp homes", said).reader(("Damp homes", "Mould")) == role


def test_what_is_said_of_the_reader_as_of_somebody_else() -> None:
    assert third_party("you’re in the UK") == "is in the UK"
    assert third_party("you change your job") == "changes their job"
    assert third_party("the donor dies") is None
