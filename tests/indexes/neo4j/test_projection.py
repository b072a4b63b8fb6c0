"""The projection follows the ledger through everything that can happen to either, and says where it stands."""

import shutil
from pathlib import Path

import pytest

from clausegraph.core.errors import StoreMismatch, StoreUnavailable
from clausegraph.indexes.corpora import get_corpus, rollback
from clausegraph.indexes.graph.neo4j.graph import Neo4jGraph
from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.rows import STATES, GraphCorpus, Interval, opened_rows
from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer
from clausegraph.indexes.graph.neo4j.writes import write_part
from clausegraph.indexes.graph.sql import SqlGraph
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.store import ledger_id, open_ledger
from clausegraph.indexes.plan import PageTarget, make_plan
from clausegraph.indexes.publish import abandon, freeze
from clausegraph.indexes.sweep import drop_corpus
from tests.contracts.graph.scripted import Town

pytestmark = pytest.mark.integration


def graph(town: Town, server: Neo4jServer, epoch: int) -> Neo4jGraph:
    return Neo4jGraph(server, ledger_id(town.ledger), GraphCorpus(town.id, town.corpus), epoch)


def frozen(town: Town) -> int:
    """Freeze an epoch in which page a is gone, and die."""
    with town.ledger.read() as connection:
        page = connection.exec_driver_sql("select id from pages where uri = 'a.html'").scalar_one()
    plan = make_plan(town.ledger, town.id, [PageTarget(page)], town.tools().embedder.fingerprint)
    with run_lease(town.ledger, town.id, "killed") as lease:
        return freeze(town.ledger, lease, plan)


def test_it_follows_edits_returns_decisions_rollback_and_vacuum(
    town: Town, server: Neo4jServer, projection: Neo4jProjection
) -> None:
    with town.taking_along(projection):
        town.write("a", "grant | pays | =£200 | if over 65 | unless abroad", "grant | needs | age")
        town.write("b", "heating grant | pays | =£200", "rule | duty | about heating grant | if over 65")
        town.publish()
        assert projection.verify(town.id) == []
        town.write("a", "grant | pays | =£300 | if over 65", "new & <b> | `is` | 'x'")
        town.publish()
        town.take("heating grant", "grant")
        town.remove("b")
        town.publish()
        town.write("a", "grant | pays | =£200 | if over 65 | unless abroad")
        town.untake("heating grant")
        assert projection.verify(town.id) == []
        assert projection.status(town.id).state == "current"
    corpus = get_corpus(town.ledger, town.corpus)
    for epoch in range(1, corpus.newest + 1):
        assert graph(town, server, epoch).all_supports() == SqlGraph(town.ledger, town.id, epoch).all_supports()
    rollback(town.ledger, corpus, 2)
    assert projection.status(town.id).reason == f"it takes epoch {corpus.newest} for the published one"
    projection.publish(town.id)
    assert projection.verify(town.id) == []
    rollback(town.ledger, corpus, corpus.newest)
    town.vacuum(keep=1)
    assert projection.status(town.id).state == "lagging"
    assert projection.verify(town.id) != []
    assert projection.catch_up(town.id).action == "none"
    assert projection.verify(town.id) == []
    with pytest.raises(StoreMismatch, match="begins at epoch"):
        graph(town, server, 1)


def test_a_rule_and_its_links_are_seen_together(town: Town, server: Neo4jServer, projection: Neo4jProjection) -> None:
    """A rule that another one leads to becomes another node when its page names a thing less often."""
    entitled, excluded = (
        "rule | eligibility | about grant | object tax | if over 65",
        "But rule | exclusion | about grant",
    )
    with town.taking_along(projection):
        town.write("a", "In each case:", entitled, excluded, "rule | duty | about grant | object tax | if over 65")
        town.publish()
        town.write("a", "In each case:", entitled, excluded)
        town.publish()
        assert projection.verify(town.id) == []
        shown = (
            "MATCH (s:Rule)-[r:EXCEPTION_OF]->(o)<-[h:HAS_RULE]-() WHERE r.since <= $epoch < r.until AND "
            "h.since <= $epoch < h.until "
            "RETURN s.kind AS kind, o.key AS key, o.text AS text, COUNT { (o)-[:OBJECT]->() } AS n"
        )
        first, second = (server.read(shown, epoch=epoch) for epoch in (1, 2))
        assert [row["n"] for row in first + second] == [1, 0] and first[0]["key"] != second[0]["key"]
        assert {row["text"] for row in first + second} == {f"In each case: {entitled}"}
        assert {row["kind"] for row in first + second} == {"exclusion"}
        town.vacuum(keep=1)
        assert projection.catch_up(town.id).action == "none" and projection.verify(town.id) == []
        town.write("a", excluded)
        town.publish()
        town.vacuum(keep=1)
        projection.catch_up(town.id)
        assert projection.verify(town.id) == []
        assert server.read("MATCH (n:Condition) RETURN count(n) AS left") == [{"left": 0}]


def test_an_older_schema_is_brought_up(town: Town, server: Neo4jServer, projection: Neo4jProjection) -> None:
    town.write("a", "rule | eligibility | about grant | if over 65")
    town.publish()
    projection.catch_up(town.id)
    server.write("MATCH (n:Rule) DETACH DELETE n")
    server.write("MATCH (l:Ledger) SET l.schema = 1")
    with pytest.raises(StoreMismatch, match="project neo4j"):
        graph(town, server, 1)
    assert projection.catch_up(town.id).action == "reconcile"
    assert projection.verify(town.id) == []


def test_before_the_flip_nothing_shows(town: Town, server: Neo4jServer, projection: Neo4jProjection) -> None:
    town.write("a", "grant | pays | =£200")
    town.write("b", "fee | is | =£5")
    first = town.publish()
    projection.catch_up(town.id)
    before = graph(town, server, first).all_supports()
    number = frozen(town)
    projection.prepare(town.id, number)
    assert graph(town, server, first).all_supports() == before
    assert len(graph(town, server, number).all_supports()) == 1
    state = server.read("MATCH (c:Corpus) RETURN c.prepared AS prepared, c.published AS published")
    assert state == [{"prepared": number, "published": first}]


def abandoned(town: Town, projection: Neo4jProjection) -> int:
    """An epoch that was brought to the server, and then given up."""
    town.write("a", "grant | pays | =£200 | if over 65")
    town.write("b", "fee | is | =£5")
    town.publish()
    projection.catch_up(town.id)
    number = frozen(town)
    projection.prepare(town.id, number)
    with run_lease(town.ledger, town.id, "other") as lease:
        abandon(town.ledger, lease, number)
    return number


def test_an_abandoned_epoch_is_taken_back(town: Town, server: Neo4jServer, projection: Neo4jProjection) -> None:
    abandoned(town, projection)
    projection.catch_up(town.id)
    assert projection.verify(town.id) == []
    assert projection.status(town.id).state == "current"


def test_an_epoch_abandoned_while_the_server_was_away(
    town: Town, server: Neo4jServer, projection: Neo4jProjection
) -> None:
    """The next epoch has the same number and other rows: those of the first must not shine through."""
    number = abandoned(town, projection)
    town.write("b", "fee | is | =£6", "fee | is for | boats")
    assert town.publish() == number
    assert projection.status(town.id).state in ("lagging", "interrupted")
    projection.catch_up(town.id)
    assert projection.verify(town.id) == []


def test_preparing_twice_writes_nothing(town: Town, server: Neo4jServer, projection: Neo4jProjection) -> None:
    town.write("a", "grant | pays | =£200")
    town.publish()
    assert projection.prepare(town.id, 1).written > 0
    assert projection.prepare(town.id, 1).written == 0
    assert projection.catch_up(town.id).written == 0


def test_a_database_that_lags_is_caught_up(town: Town, projection: Neo4jProjection) -> None:
    town.write("a", "grant | pays | =£200", "fee | is | =£5")
    town.publish()
    projection.catch_up(town.id)
    for amount in (210, 220, 230):
        town.write("a", f"grant | pays | =£{amount}", "fee | is | =£5")
        town.publish()
    status = projection.status(town.id)
    assert (status.state, status.prepared, status.reason) == ("lagging", 1, "it ends at epoch 1, the ledger at 4")
    assert projection.catch_up(town.id).action == "extend"
    assert projection.verify(town.id) == []


def test_one_that_lags_behind_the_vacuum_is_compared(town: Town, projection: Neo4jProjection) -> None:
    town.write("a", "grant | pays | =£200 | if over 65", "fee | is | =£5")
    town.publish()
    projection.catch_up(town.id)
    for amount in (210, 220):
        town.write("a", f"grant | pays | =£{amount}", "fee | is | =£5")
        town.publish()
    town.vacuum(keep=1)
    assert projection.status(town.id).state == "lagging"
    assert projection.catch_up(town.id).action == "reconcile"
    assert projection.verify(town.id) == []


def test_a_wiped_database_is_noticed_and_written_again(
    town: Town, server: Neo4jServer, projection: Neo4jProjection
) -> None:
    town.write("a", "grant | pays | =£200")
    town.publish()
    projection.catch_up(town.id)
    reader = graph(town, server, 1)
    server.write("MATCH (n) DETACH DELETE n")
    with pytest.raises(StoreMismatch, match="does not have epoch 1"):
        reader.counts()
    assert projection.status(town.id).state == "absent"
    town.write("a", "grant | pays | =£300")
    with town.taking_along(projection):
        town.publish()
    assert projection.verify(town.id) == []
    with pytest.raises(StoreMismatch, match="rebuilt"):
        reader.counts()


def test_a_damaged_database_is_found_and_rebuilt(town: Town, server: Neo4jServer, projection: Neo4jProjection) -> None:
    town.write("a", "grant | pays | =£200 | if over 65", "fee | is | =£5")
    town.publish()
    projection.catch_up(town.id)
    server.write("MATCH ()-[r:STATES {relation: 'is'}]->() DELETE r")
    server.write("MATCH (e:Entity {name: 'grant'}) SET e.name = 'grants'")
    server.write("MATCH (a:Entity) WITH a LIMIT 1 CREATE (a)-[:STATES {id: 'x', corpus: 'town'}]->(a)")
    server.write("MATCH (:Condition)-[l:LEAF]->() DELETE l")
    found = projection.verify(town.id)
    assert [line.split()[0] for line in found] == ["Entity", "STATES", "STATES", "LEAF"]
    assert any("is missing" in line for line in found)
    assert any("is too much" in line for line in found)
    assert any("differs" in line for line in found)
    assert projection.rebuild(town.id).action == "rebuild"
    assert projection.verify(town.id) == []


def test_a_ledger_restored_from_a_backup_is_not_followed_blindly(
    town: Town, server: Neo4jServer, projection: Neo4jProjection, tmp_path: Path
) -> None:
    town.write("a", "grant | pays | =£200")
    town.publish()
    town.ledger.database.compact()
    shutil.copytree(town.root / "home", tmp_path / "backup")
    town.write("a", "grant | pays | =£300")
    town.publish()
    projection.catch_up(town.id)
    town.ledger.close()
    shutil.rmtree(town.root / "home")
    shutil.copytree(tmp_path / "backup", town.root / "home")
    town.ledger = open_ledger(town.root / "home")
    again = Neo4jProjection(town.ledger, server)
    assert again.status(town.id).state == "diverged"
    town.write("a", "grant | pays | =£400")
    town.publish()
    status = again.status(town.id)
    assert status.state == "diverged"
    assert "restored from a backup" in status.reason
    with pytest.raises(StoreMismatch, match="--rebuild"):
        again.catch_up(town.id)
    again.rebuild(town.id)
    assert again.verify(town.id) == []


def test_several_corpora_and_one_dropped_and_made_again(
    town: Town, server: Neo4jServer, projection: Neo4jProjection
) -> None:
    town.write("a", "grant | pays | =£200 | if over 65")
    town.publish()
    first = town.id
    town.corpus = "village"
    town.publish()
    projection.catch_up(first)
    projection.catch_up(town.id)
    drop_corpus(town.ledger, "town")
    town.corpus = "town"
    town.publish()
    assert town.id != first
    projection.catch_up(town.id)  # the dropped one of the same name goes
    assert projection.verify(town.id) == []
    drop_corpus(town.ledger, "town")
    town.corpus = "village"
    assert projection.verify(town.id) == []
    projection.forget_dropped()
    projection.forget_dropped()
    assert projection.verify(town.id) == []
    left = server.read("MATCH (n) WHERE n.corpus = 'town' RETURN count(n) AS nodes")
    assert left == [{"nodes": 0}]


def test_a_corpus_dropped_while_the_server_was_away_leaves_nothing_behind(
    town: Town, server: Neo4jServer, projection: Neo4jProjection
) -> None:
    town.write("a", "grant | pays | =£200 | if over 65")
    town.publish()
    projection.catch_up(town.id)
    town.corpus = "village"
    town.publish()
    projection.catch_up(town.id)
    drop_corpus(town.ledger, "town")
    status = projection.status(town.id)
    assert (status.state, "dropped: corpus town" in status.reason) == ("lagging", True)
    projection.catch_up(town.id)
    assert projection.status(town.id).state == "current"
    assert server.read("MATCH (n) WHERE n.corpus = 'town' OR n.name = 'town' RETURN count(n) AS nodes") == [
        {"nodes": 0}
    ]
    assert projection.verify(town.id) == []


def test_nodes_that_vanish_while_a_part_is_written_are_noticed(
    town: Town, server: Neo4jServer, projection: Neo4jProjection
) -> None:
    town.write("a", "grant | pays | =£200 | if over 65", "grant | needs | age")
    town.publish()
    projection.catch_up(town.id)
    corpus = GraphCorpus(town.id, town.corpus)
    stated = next(part for part in opened_rows(town.ledger, corpus, Interval(0, 1)) if part.type == STATES)
    server.write("MATCH (n:Entity) DETACH DELETE n")
    stated.nodes.clear()
    with pytest.raises(StoreMismatch, match="went from Neo4j"):
        write_part(server, corpus, stated)
    assert server.read("MATCH ()-[r:STATES]->() RETURN count(r) AS left") == [{"left": 0}]
    projection.rebuild(town.id)
    assert projection.verify(town.id) == []


def test_another_ledgers_database_is_left_alone(
    town: Town, server: Neo4jServer, projection: Neo4jProjection, tmp_path: Path
) -> None:
    town.write("a", "grant | pays | =£200")
    town.publish()
    projection.catch_up(town.id)
    other = Town()
    try:
        other.write("a", "fee | is | =£5")
        other.publish()
        stranger = Neo4jProjection(other.ledger, server)
        for refused in (stranger.catch_up, stranger.rebuild, stranger.status, stranger.verify):
            with pytest.raises(StoreMismatch, match="belongs to another ledger"):
                refused(other.id)
        with pytest.raises(StoreMismatch, match="belongs to another ledger"):
            stranger.forget_dropped()
        with pytest.raises(StoreMismatch, match="belongs to another ledger"):
            graph(other, server, 1)
    finally:
        other.close()
    assert projection.verify(town.id) == []


def test_another_schema_version_and_other_peoples_nodes(
    town: Town, server: Neo4jServer, projection: Neo4jProjection
) -> None:
    town.write("a", "grant | pays | =£200")
    town.publish()
    server.write("CREATE (:Page {title: 'not ours'})")
    with pytest.raises(StoreMismatch, match="no ledger of ClauseGraph wrote"):
        projection.catch_up(town.id)
    server.write("MATCH (n:Page) DELETE n")
    projection.catch_up(town.id)
    server.write("MATCH (l:Ledger) SET l.schema = 99")
    with pytest.raises(StoreMismatch, match="schema version 99"):
        projection.catch_up(town.id)


def test_optional_lags_and_required_blocks(town: Town, address: Address, server: Neo4jServer) -> None:
    town.write("a", "grant | pays | =£200")
    nowhere = Address("bolt://127.0.0.1:1", address.user, address.password, deadline=1.0)
    with Neo4jProjection(town.ledger, Neo4jServer(nowhere)) as away:
        with town.taking_along(away, required=False) as optional:
            assert town.publish() == 1
        assert [line.split(":")[0] for line in optional.problems] == ["neo4j lags (prepare)", "neo4j lags (publish)"]
        town.write("a", "grant | pays | =£300")
        with town.taking_along(away), pytest.raises(StoreUnavailable):
            town.publish()
        assert get_corpus(town.ledger, town.corpus).published == 1
    back = Neo4jProjection(town.ledger, server)
    with town.taking_along(back):
        town.publish()  # recovers the frozen epoch first
    assert get_corpus(town.ledger, town.corpus).published == 2
    assert back.verify(town.id) == []


def test_a_deadline_blocks_the_flip_and_what_was_written_is_found_again(town: Town, server: Neo4jServer) -> None:
    town.write("a", *(f"grant {number} | pays | =£{number}" for number in range(50)))
    late = Neo4jProjection(town.ledger, server, deadline=0.0, batch=10)
    with town.taking_along(late), pytest.raises(StoreUnavailable, match="within 0 s"):
        town.publish()
    assert get_corpus(town.ledger, town.corpus).published == 0
    patient = Neo4jProjection(town.ledger, server, batch=10)
    with town.taking_along(patient):
        town.publish()
    assert get_corpus(town.ledger, town.corpus).published == 1
    assert patient.verify(town.id) == []
