"""Whom a page addresses: by its title, and by the headings of its sections."""

from __future__ import annotations

import pytest

from clausegraph.core.language.address import Addressee, third_party

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("title", "role"),
    [
        ("Bereavement Support Payment", "applicant for Bereavement Support Payment"),
        ("Your rights as an agency worker", "agency worker"),
        ("Help and support for foster parents", "foster parent"),
        ("Pay your Corporation Tax bill", "person paying their Corporation Tax bill"),
        ("Deputies: manage an account", "deputy"),
        ("Director's loans", "director"),
        ("Apply for a council home", "applicant for a council home"),
        ("Financial help if you're disabled", "person who is disabled"),
        ("Challenge your solicitor's bill", "person challenging their solicitor's bill"),
        ("Employment contracts", "person dealing with employment contracts"),
        ("Orchard Payment: rates", "applicant for Orchard Payment"),
        ("Flying instructor suspension", "flying instructor"),
        ("Stamp duty when you sell a boat", "person who sells a boat"),
        ("Register as a community rowing club", "community rowing club"),
    ],
)
def test_the_title_names_a_role(title: str, role: str) -> None:
    assert Addressee(title).reader(()) == role


@pytest.mark.parametrize(
    ("heading", "role"),
    [
        ("Eligibility", "applicant for Rent Supplement"),
        ("If you’re terminally ill", "applicant for Rent Supplement"),  # a case is a condition, and nobody's name
        ("If you are the landlord", "landlord"),
        ("Landlord's responsibilities", "landlord"),
        ("What you can claim", "applicant for Rent Supplement"),
        ("Rules for landlords", "landlord"),
    ],
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
