"""Other graphs under the same plan: the corpus's own, and SPARQL over a socket."""

import json
import threading
from collections.abc import Iterator
from contextlib import nullcontext
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest

from clausegraph.core.errors import StoreRefused
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import View, open_view
from clausegraph.ingestion.extract.llm.lines import GivenExtractor
from clausegraph.ingestion.pipeline import Tools, ingest
from clausegraph.ingestion.sources import PassagesSource
from clausegraph.query.crag.kg.endpoint import Endpoint
from clausegraph.query.crag.kg.graphs import CorpusGraph, SparqlGraph
from clausegraph.query.crag.kg.plan import GraphLookup, GraphThing
from clausegraph.query.crag.types import Attributes
from clausegraph.query.steps.model import ModelSteps, QuestionMeter
from tests.harness.fake_llm import FakeModelServer
from tests.query.crag.kg.conftest import asked
from tests.query.passages.conftest import PASSAGES

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    folder = tmp_path_factory.mktemp("chain")
    file = folder / "passages.json"
    file.write_text(json.dumps(PASSAGES), "utf-8")
    source = PassagesSource(file)
    with open_ledger(folder / "home") as ledger:
        ingest(Tools(ledger, HashingEmbedder(64), GivenExtractor(source.passages())), "chain", source)
        with open_view(ledger, "chain") as opened:
            yield opened


def test_our_graph_is_planned_over_hop_by_hop_and_cites_pages(
    fake: FakeModelServer, steps: ModelSteps, view: View
) -> None:
    plan = {"entities": [{"name": "Orla Fenwick", "type": "person"}], "first_day": "", "last_day": ""}
    first = {"drop": ["born in"], "follow": ["trained at"], "enough": False, "wrong_entity": False}
    fake.set(replies="script", script=[plan, first, first | {"drop": [], "follow": [], "enough": True}])
    meter = QuestionMeter()
    lookup = GraphLookup(lambda: nullcontext(CorpusGraph(view)), steps.question(meter))
    found = lookup.lookup(asked("in which town did orla fenwick train?"), Attributes())
    texts = [one.text for one in found.references]
    assert "brimholt work located in saltrey" in texts  # names are keys
    assert not any("born in" in text for text in texts)
    (town,) = [one for one in found.references if "located in" in one.text]
    assert (town.evidence[0].page.uri, "harbour of Saltrey" in town.evidence[0].quote) == ("brimholt-works", True)
    assert meter.usage().tasks == {"crag-kg-entities": 1, "crag-kg-hop": 2}
    shown = fake.last_requests(3)[1]["messages"][-1]["content"]
    assert "trained at -> thing" in shown and "born in" in shown  # what its data has, since it has no schema


class _Sparql(BaseHTTPRequestHandler):
    """Answers by what the query asks; keeps what it was sent."""

    queries: list[str] = []

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"])).decode()
        query = parse_qs(body)["query"][0]
        self.queries.append(query)
        iri = {"type": "uri", "value": "http://graph.example/Alder_Bridge"}
        if "?label" in query and "VALUES" in query:
            rows: list[dict[str, Any]] = [{"thing": iri, "label": {"type": "literal", "value": "Alder Bridge"}}]
        else:
            length = {"type": "uri", "value": "http://graph.example/ontology#length"}
            over = {"type": "uri", "value": "http://graph.example/crosses"}
            river = {"type": "uri", "value": "http://graph.example/Alder"}
            rows = [
                {"relation": length, "value": {"type": "literal", "value": "412"}},
                {"relation": over, "value": river, "label": {"type": "literal", "value": "River Alder"}},
            ]
        content = json.dumps({"results": {"bindings": rows}} if "broken" not in query else []).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:
        pass


@pytest.fixture
def sparql() -> Iterator[SparqlGraph]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Sparql)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    with Endpoint(f"http://127.0.0.1:{server.server_address[1]}") as endpoint:
        yield SparqlGraph(endpoint)
    server.shutdown()
    server.server_close()
    thread.join()


def test_sparql_finds_by_label_and_gives_facts(sparql: SparqlGraph) -> None:
    (bridge,) = sparql.find("alder bridge", "")
    assert (bridge.key, bridge.name) == ("http://graph.example/Alder_Bridge", "Alder Bridge")
    facts = sparql.facts(bridge, None, None)
    assert [fact.text for fact in facts] == ["length of Alder Bridge: 412.", "crosses of Alder Bridge: River Alder."]
    assert facts[1].thing == GraphThing("http://graph.example/Alder", "River Alder", "")
    assert [fact.relation for fact in sparql.facts(bridge, ["length"], None)] == ["length"]


def test_a_name_stays_a_literal_and_a_key_an_address(sparql: SparqlGraph) -> None:
    _Sparql.queries.clear()
    sparql.find('x"@en } ; DROP ALL # \\', "")
    (query,) = _Sparql.queries
    assert '"x\\"@en } ; DROP ALL # \\\\"@en' in query
    with pytest.raises(StoreRefused, match="no IRI"):
        sparql.facts(GraphThing("http://a> ?p ?o } #", "x", ""), None, None)
    with pytest.raises(StoreRefused, match="no SPARQL results"):
        sparql.find("broken", "")


def test_an_endpoint_s_answer_is_bounded(sparql: SparqlGraph) -> None:
    with Endpoint(sparql.name, most_bytes=10) as small, pytest.raises(StoreRefused, match="more than 10"):
        SparqlGraph(small).find("alder bridge", "")


def test_an_endpoint_that_redirects_or_is_no_address_is_refused(tmp_path: Path) -> None:
    from clausegraph.core.errors import SettingsError

    for address in ("file:///etc/passwd", "ftp://host/", "host"):
        with pytest.raises(SettingsError, match="no address"):
            Endpoint(address)
