"""The same rule on two pages is one fact with two supports; when one page goes, the fact stays."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from clausegraph.core.types import Fact, Support
from clausegraph.indexes.views import open_view
from tests.app.cli.conftest import Cli, clean_environment, cli
from tests.law.world import CORPUS, World, page_html

__all__ = ["clean_environment", "cli"]  # fixtures of the command line's tests

pytestmark = pytest.mark.unit


def stated(world: World, subject: str, relation: str) -> list[tuple[Fact, list[Support]]]:
    with open_view(world.ledger, CORPUS) as view:
        facts = view.graph.neighbourhood([subject], relations=[relation])
        return [(fact, view.graph.supports([fact.id])) for fact in facts]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Landlords must pay the water bill.", "Landlords must pay the water bill."),
        ("Landlords must pay the water bill.", "The landlord has to pay your water bills."),
        ("Landlords must pay the water bill.", "A landlord must pay the water bill if you are a student."),
        ("Landlords must pay the water bill.", "A landlord does not have to pay the water bill."),
    ],
)
def test_one_fact_with_a_support_on_each_page(world: World, one: str, other: str) -> None:
    world.write("a", [one])
    world.write("b", [other])
    world.ingest()
    ((fact, supports),) = stated(world, "landlord", "pays")
    assert (fact.object, fact.supports) == ("water bill", 2)
    assert [support.page.uri for support in supports] == ["a.html", "b.html"]
    world.remove("a")
    world.ingest()
    ((left, supports),) = stated(world, "landlord", "pays")
    assert (left.id, left.supports) == (fact.id, 1) and supports[0].page.uri == "b.html"
    world.assert_lawful()


def test_conditions_and_modality_stay_with_their_support(world: World) -> None:
    world.write("a", ["Landlords must pay the water bill."])
    world.write("b", ["A landlord does not have to pay the water bill if you are a student."])
    world.ingest()
    ((_, (first, second)),) = stated(world, "landlord", "pays")
    assert first.statement.polarity and first.statement.condition is None
    assert not second.statement.polarity and second.statement.condition is not None


def test_both_are_shown(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "a.html").write_text(page_html("Rent", ["Landlords must pay the water bill."]))
    (folder / "b.html").write_text(page_html("Water", ["The landlord has to pay your water bills."]))
    assert cli("ingest", str(folder)).exit_code == 0
    (fact,) = json.loads(cli("facts", "landlord", "--relation", "pays", "--json").stdout)["facts"]
    assert [one["title"] for one in fact["statements"]] == ["Rent", "Water"] and fact["supports"] == 2
