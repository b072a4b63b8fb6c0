"""Calls built by rules, over the replay of an invented recording."""

import pytest

from clausegraph.app.dev.json_server import JsonServer
from clausegraph.core.errors import StoreUnavailable
from clausegraph.query.crag.kg.api import FUNCTIONS, ApiSession
from clausegraph.query.crag.kg.endpoint import Endpoint
from clausegraph.query.crag.kg.forms import RuleLookup
from clausegraph.query.crag.kg.names import aligned, candidates, nba_teams
from clausegraph.query.crag.types import Attributes, ReferenceKind
from tests.harness.tables import rows
from tests.query.crag.kg.conftest import asked

pytestmark = pytest.mark.integration


@pytest.mark.parametrize(("question", "answer"), rows(__file__, "a question, and its answer"))
def test_one_fact_is_the_answer(rules: RuleLookup, question: str, answer: str) -> None:
    found = rules.lookup(asked(question), Attributes())
    assert found.answer == answer, found
    assert found.references[0].kind is ReferenceKind.KG
    assert found.looked_into and set(found.looked_into) <= set(FUNCTIONS)
    assert found.references[0].evidence[0].quote == found.references[0].text


@pytest.mark.parametrize(
    "question",
    [
        "how many points did the jazz score on 2031-05-04?",  # the API knows that there was no game
        "how many points did the lakers score on 2031-05-02?",  # not recorded
        "which movie is longer, the glass harbour or salt and slate?",  # two films
        "how long is the movie slate?",  # two that are like it, neither the same
        "what was the closing price of quillfeather stock on 2031-05-30?",  # after the history
        "what is the ticker of the company that owns quillfeather?",  # one that is described
        "who won song of the year at the grammys from 2011 to 2013?",  # several questions in one
    ],
)
def test_what_one_call_does_not_answer_is_left_open(rules: RuleLookup, question: str) -> None:
    assert rules.lookup(asked(question), Attributes()).answer is None


def test_an_entity_s_field_is_a_reference_and_no_answer(rules: RuleLookup) -> None:
    found = rules.lookup(asked("what is the population of brackwater?"), Attributes())
    assert [reference.text for reference in found.references] == [
        "Brackwater is a town.",
        "population total of Brackwater: 4,210.",
    ]
    assert found.answer is None


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
    gone = RuleLookup("http://127.0.0.1:9")
    with pytest.raises(StoreUnavailable, match="cannot be reached"):
        gone.lookup(asked("what is the eps of quillfeather?"), Attributes())


def test_alignment_takes_what_is_meant_beyond_doubt() -> None:
    known = ["The Lord of the Reeds", "Reeds", "Lord of Reed"]
    assert aligned("the lord of the reeds", known) == "The Lord of the Reeds"
    assert aligned("lord of something else", known) is None
    assert len(candidates("reeds", known)) <= 3
    assert nba_teams("how did the trail blazers do against philly?") == ["Portland Trail Blazers", "Philadelphia 76ers"]
    assert nba_teams("when was the king crowned?") == []
