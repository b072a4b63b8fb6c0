"""Forgotten is gone from Neo4j too; what is left there, or not as the ledger has it, is looked for and told."""

from __future__ import annotations

from pathlib import Path

import pytest

from clausegraph.app.services.audit import audit
from clausegraph.app.services.forget import forget
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import LedgerError
from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer
from clausegraph.ingestion.tools import no_progress
from tests.law.forgetting import CORPUS, PLACES, ingest, page, settings_of, write_pages

pytestmark = pytest.mark.integration
EVERYTHING = "MATCH (n) OPTIONAL MATCH (n)-[r]->() RETURN properties(n) AS node, properties(r) AS relationship"


def test_no_node_or_relationship_has_anything_of_a_page(address: Address, server: Neo4jServer, tmp_path: Path) -> None:
    known = {"neo4j_uri": address.uri, "neo4j_user": address.user, "neo4j_password": address.password}
    place = PLACES[6]
    with Workspace(settings_of(tmp_path / "home", neo4j_mode="required", **known)) as workspace:
        ingest(workspace, write_pages(tmp_path / "pages", PLACES[:8]))
        assert place in str(server.read(EVERYTHING))
        server.write("CREATE (:Element {corpus: $corpus, key: 'left', text: $text})", corpus=CORPUS,
                     text=f"The {place} Panel must reply within 8 working days of a hearing in {place}.")  # fmt: skip
        with pytest.raises(LedgerError, match=r"it is still in Neo4j, Element left; .*Element left is too much"):
            forget(workspace, CORPUS, page(place), None, "asked", "tester")
        server.write("MATCH (n:Element {key: 'left'}) DELETE n")
        made = forget(workspace, CORPUS, page(place), None, "asked", "tester")["certificate"]
        assert made["searched"]["nodes and relationships"] > 100
        assert place.lower() not in str(server.read(EVERYTHING)).lower()


def test_an_audit_names_what_differs_in_neo4j_and_writes_it_anew(
    address: Address, server: Neo4jServer, tmp_path: Path
) -> None:
    known = {"neo4j_uri": address.uri, "neo4j_user": address.user, "neo4j_password": address.password}
    with Workspace(settings_of(tmp_path / "home", neo4j_mode="required", **known)) as workspace:
        ingest(workspace, write_pages(tmp_path / "pages", PLACES[:2]))

        def differing(*, repair: bool = False) -> list[str]:
            (one,) = audit(workspace, [CORPUS], no_progress, repair=repair)
            return [each.text for each in (one.left if repair else one.found)]

        assert differing() == []
        server.write("MATCH (n:Rule) WITH n LIMIT 1 DETACH DELETE n")
        assert any(one.startswith("Neo4j: ") for one in differing())
        assert differing(repair=True) == differing() == []
