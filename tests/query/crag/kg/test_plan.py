"""KERAG's plan over the replayed API, with scripted replies."""

from datetime import date, timedelta
from typing import Any

import pytest

from clausegraph.app.dev.json_server import JsonServer
from clausegraph.core.errors import InputError, StoreUnavailable
from clausegraph.query.crag.kg.api import FUNCTIONS, ApiSession, api_session, path_of
from clausegraph.query.crag.kg.api_graph import ApiGraph, ApiLookup
from clausegraph.query.crag.kg.endpoint import Endpoint
from clausegraph.query.crag.kg.names import aligned, candidates, nba_teams
from clausegraph.query.crag.kg.plan import GraphFact, nearest
from clausegraph.query.crag.types import Attributes, CragFault, CragFeedback, KgFound
from clausegraph.query.steps.model import ModelSteps, QuestionMeter
from tests.harness.fake_llm import FakeModelServer
from tests.query.crag.kg.conftest import asked

pytestmark = pytest.mark.integration
NOTHING: dict[str, Any] = {"drop": [], "follow": [], "enough": True, "wrong_entity": False}


def entities(*named: tuple[str, str], first: str = "", last: str = "") -> dict[str, Any]:
    return {"entities": [{"name": n, "type": t} for n, t in named], "first_day": first, "last_day": last}


def looked_up(
    fake: FakeModelServer, steps: ModelSteps, replay: JsonServer, question: str, *replies: Any, **more: Any
) -> tuple[KgFound, dict[str, int]]:
    fake.set(replies="script", script=list(replies))
    meter = QuestionMeter()
    lookup = ApiLookup(replay.url, steps.question(meter))
    found = lookup.lookup(asked(question), Attributes(), **more)
    return found, meter.usage().tasks


def test_one_hop_costs_two_calls_and_drops_before_it_fetches(
    fake: FakeModelServer, steps: ModelSteps, replay: JsonServer
) -> None:
    dropped = ["price_history", "dividends", "company_info", "earnings_per_share", "price_to_earnings_ratio"]
    found, calls = looked_up(
        fake, steps, replay, "what is quillfeather worth?", entities(("quillfeather", "company")),
        NOTHING | {"drop": dropped},
    )  # fmt: skip
    assert [one.text for one in found.references] == [
        "market capitalization of Quillfeather Inc. Common Stock: 1234567."
    ]
    assert calls == {"crag-kg-entities": 1, "crag-kg-hop": 1}
    assert not any("price_history" in call for call in found.calls[2:])
    assert found.references[0].evidence[0].page.uri == 'finance_get_market_capitalization("QLF")'


def test_a_relation_is_followed_to_what_it_leads_to(
    fake: FakeModelServer, steps: ModelSteps, replay: JsonServer
) -> None:
    found, calls = looked_up(
        fake, steps, replay, "when was the artist of the band born?", entities(("tin owls", "artist")),
        NOTHING | {"follow": ["members"], "enough": False}, NOTHING,
    )  # fmt: skip
    assert {"members of The Tin Owls: Ada.", "members of The Tin Owls: Ben."} <= {one.text for one in found.references}
    assert any(call.startswith('music_get_artist_birth_date("Ada")') for call in found.calls)
    assert calls["crag-kg-hop"] == 2


def test_games_are_those_of_the_days_asked_for(fake: FakeModelServer, steps: ModelSteps, replay: JsonServer) -> None:
    plan = entities(("jazz", "nba team"), first="2031-05-02", last="2031-05-02")
    found, _ = looked_up(fake, steps, replay, "how did the jazz do?", plan, NOTHING)
    assert [one.text for one in found.references] == [
        "On 2031-05-02, Utah Jazz (101 points) played at home against Phoenix Suns (99 points)."
    ]


def test_the_wrong_entity_gives_no_fact(fake: FakeModelServer, steps: ModelSteps, replay: JsonServer) -> None:
    wrong = NOTHING | {"wrong_entity": True}
    found, calls = looked_up(
        fake, steps, replay, "how long is it?", entities(("salt and slate", "film")), wrong, wrong, wrong
    )
    assert found.references == () and found.entities == ()
    assert calls["crag-kg-hop"] <= 3


def test_without_a_usable_plan_nothing_is_found_and_no_answer_is_a_failure(
    fake: FakeModelServer, steps: ModelSteps, replay: JsonServer
) -> None:
    for reply in ("no JSON", entities()):
        found, _ = looked_up(fake, steps, replay, "what is the market cap of quillfeather?", reply)
        assert not found.references
        assert found.calls[0].startswith("no plan")
    gone = ApiLookup("http://127.0.0.1:9", steps.question(QuestionMeter()))
    fake.set(replies="script", script=[entities(("quillfeather", "company")), NOTHING])
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        gone.lookup(asked("what is quillfeather worth?"), Attributes())


def test_feedback_is_told_to_the_next_plan(fake: FakeModelServer, steps: ModelSteps, replay: JsonServer) -> None:
    feedback = (CragFeedback(CragFault.ENTITIES, "The Slate Roof"),)
    looked_up(
        fake, steps, replay, "how long is slate?", entities(("slate", "film")), NOTHING, feedback=feedback
    )  # fmt: skip
    shown = [body["messages"][-1]["content"] for body in fake.last_requests(2)]
    assert "The Slate Roof" in shown[0]


def test_facts_are_filtered_by_the_question_without_its_entity() -> None:
    facts = [GraphFact(f"trait {number} of Salt: {number}.", f"trait_{number}") for number in range(40)]
    facts.append(GraphFact("runtime of Salt: 121.", "runtime"))
    kept = nearest(facts, asked("what is the runtime of salt?"), ["Salt"])
    assert len(kept) == 30
    assert kept[0].relation == "runtime"


def test_facts_of_the_day_that_is_asked_about_come_first() -> None:
    days = [f"2023-{month:02}-{day:02}" for month in range(1, 13) for day in range(1, 29)] + ["2024-02-14"]
    facts = [GraphFact(f"price history: {day} 00:00:00 EST = {{low: 4}}", f"{day} 00:00:00 EST") for day in days]
    kept = nearest(facts, asked("what was the low price of salt stock on feb 14 2024"), ["SALT"])
    assert (len(kept), kept[0].relation) == (30, "2024-02-14 00:00:00 EST")
    assert all("-03-" in one.text for one in nearest(facts, asked("the price of salt in march 2023"), ["SALT"])[:28])


def test_calls_are_made_once_and_what_comes_of_them_is_told_apart(replay: JsonServer) -> None:
    with Endpoint(replay.url) as endpoint:
        session = ApiSession(endpoint, most=3)
        session.ask("sports_nba_get_games_on_date", "2031-05-04", "Utah Jazz")
        session.ask("finance_get_eps", "NONE")
        session.ask("finance_get_eps", "NONE")
        assert session.ask("finance_get_market_capitalization", "QLF") == 1234567.0
        assert session.ask("finance_get_price_history", "QLF") is None
    assert [call.outcome for call in session.calls] == ["empty", "not there", "found", "refused"]
    assert "not recorded" in session.calls[1].reason


DAY = date(2031, 5, 10)


@pytest.mark.parametrize(
    ("name", "kind", "relation", "last"),
    [
        ("northbrook", "soccer team", "games", "and won, 3 to 1."),
        ("quillfeather", "company", "price_history", "low 9.13"),
        ("quillfeather", "company", "dividends", "paid 0.75 per share"),
        ("tin owls", "artist", "members", "members of The Tin Owls: Ben."),
        ("2011", "year", "grammy_song_of_the_year", "song of the year of 2011: Invented Tune."),
        ("glass harbour", "film", "length", "length of The Glass Harbour: 121."),
        ("glass harbour", "film", "director", "Director of The Glass Harbour: Ida Lens."),
        ("brackwater", "entity", "facts", "population total of Brackwater: 4,210."),
        ("brackwater", "entity", "summary", "Brackwater is a town."),
    ],
)
def test_what_the_api_says_of_a_relation(replay: JsonServer, name: str, kind: str, relation: str, last: str) -> None:
    with api_session(replay.url) as api:
        graph = ApiGraph(api)
        found = graph.facts(graph.find(name, kind)[0], [relation], (DAY - timedelta(days=9), DAY))
    assert last in found[-1].text, found


def test_functions_have_paths() -> None:
    assert path_of("sports_nba_get_games_on_date") == "/sports/nba/get_games_on_date"
    assert len(set(map(path_of, FUNCTIONS))) == len(FUNCTIONS) == 38
    with pytest.raises(InputError, match="no function"):
        path_of("sports_get_everything")


def test_alignment_takes_what_is_meant_beyond_doubt() -> None:
    known = ["The Lord of the Reeds", "Reeds", "Lord of Reed"]
    assert aligned("the lord of the reeds", known) == "The Lord of the Reeds"
    assert aligned("lord of something else", known) is None
    assert len(candidates("reeds", known)) <= 3
    assert nba_teams("how did the trail blazers do against philly?") == ["Portland Trail Blazers", "Philadelphia 76ers"]
    assert nba_teams("when was the king crowned?") == []
