"""Where a language model is set, ``ask`` reads with it, says so, and uses the guide and examples of the settings."""

import json
from pathlib import Path

import pytest

from clausegraph.app.services.ask import answer
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, ModelUnavailable
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.settings import Settings
from clausegraph.core.types import Answer, ConditionState
from tests.harness.fake_llm import FakeModelServer
from tests.harness.fake_model import fake_with
from tests.harness.home import filled

pytestmark = pytest.mark.integration

PAGE = (
    "<html><head><title>Winter Grant</title></head><body><main><h1>Winter Grant</h1><h2>Who can get it</h2>"
    "<p>You can get the winter grant if:</p><ul><li>you are over 65</li><li>you rent your home</li></ul>"
    "<h2>How much</h2><p>The winter grant pays £210 a year to every household.</p></main></body></html>"
)
ASKED = Inquiry("How much is the winter grant for every household?", "I rent.")


@pytest.fixture
def server(fake: FakeModelServer) -> FakeModelServer:
    return fake


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("ask")
    (root / "pages").mkdir()
    (root / "pages" / "grant.html").write_text(PAGE, "utf-8")
    filled(root / "home", root / "pages")
    return root / "home"


def asked(home: Path, server: FakeModelServer, **settings: object) -> Answer:
    values = {"llm": "openai:fake", "llm_url": server.url, "llm_key": "x", "llm_attempts": 1, "llm_cache_mb": 0}
    made = Settings(home=home, embedding_model="hashing", **(values | settings))  # type: ignore[arg-type]
    with Workspace(made) as workspace:
        return answer(workspace, "default", ASKED)


def traced(found: Answer) -> dict[str, object]:
    """Everything that the trace says, of all steps together."""
    return {name: value for step in found.trace for name, value in step.detail.items()}


def test_a_model_reads_and_the_trace_says_which(home: Path, server: FakeModelServer) -> None:
    found = asked(home, server)
    assert [a.text for a in found.alternatives] == ["The winter grant pays £210 a year to"]
    detail = traced(found)
    assert detail["read_by"] == "openai:fake, prompt read"
    assert (detail["calls"], detail["repaired"]) == (1, False)


def test_without_a_model_none_is_asked(home: Path, server: FakeModelServer) -> None:
    assert "read_by" not in traced(asked(home, server, llm=None))
    assert server.counters()["requests"] == 0


def test_guide_and_examples_of_the_settings_are_shown(home: Path, server: FakeModelServer, tmp_path: Path) -> None:
    (tmp_path / "g.json").write_text(json.dumps({"name": "mine", "text": "Say it short."}), "utf-8")
    example = {
        "id": "q", "url": "/fuel", "scenario": "", "question": "How much does the fuel grant pay?",
        "not_answerable": False, "answers": [["£3", []]], "evidences": ["<p>It pays £3.</p>"],
    }  # fmt: skip
    (tmp_path / "e.json").write_text(json.dumps([example]), "utf-8")
    found = asked(home, server, reader_guide=tmp_path / "g.json", reader_examples=tmp_path / "e.json")
    detail = traced(found)
    assert str(detail["read_by"]).endswith("guide mine")
    longer, shorter = (asked(home, server, reader_examples=path) for path in (tmp_path / "e.json", None))
    tokens = [int(str(traced(one)["prompt_tokens"])) for one in (longer, shorter)]
    assert tokens[0] > tokens[1]
    with pytest.raises(InputError, match=r"missing\.json"):
        asked(home, server, reader_guide=tmp_path / "missing.json")


def test_a_model_that_does_not_answer_is_an_error_and_no_answer(home: Path, server: FakeModelServer) -> None:
    server.set(fault="503", fault_share=1.0)
    with pytest.raises(ModelUnavailable):
        asked(home, server)
    server.set(fault="none")


def drafted(state: str, told: str, sentence: str) -> str:
    """A reply on the page's two conditions: the age is ``state``, by words that were ``told``."""
    asks = "Are you over 65?" if state == "open" else ""
    conditions = [
        {"id": "c1", "element": "e4", "quote": "", "state": state, "scenario": told, "ask": asks},
        {"id": "c2", "element": "e5", "quote": "", "state": "met", "scenario": "I rent", "ask": ""},
    ]
    yes = {"text": "yes", "element": "e3", "evidence": ["e3", "e4"], "if": {"all": ["c1", "c2"]}}
    said = {"text": sentence, "role": "answer", "sources": ["e3", "e4", "e5"], "sums": []}
    reply = {"rules": ["e3"], "analysis": "", "conditions": conditions, "kind": "gate", "answers": [yes]}
    return json.dumps(reply | {"sentences": [said], "missing": ""})


def test_sentences_are_written_anew_for_what_is_assumed(home: Path) -> None:
    first = drafted("open", "", "You can get the winter grant if you are over 65.")
    second = drafted("met", "Are you over 65? Yes", "You can get the winter grant: you are over 65 and rent your home.")
    inquiry = Inquiry("Can I get the winter grant?", "I rent.")
    over = {"you are over 65": ConditionState.MET}
    scripted = fake_with(replies="script", script=[first, second, first])
    made = Settings(
        home=home, embedding_model="hashing", llm="openai:fake", llm_url=scripted.url, llm_key="x",
        llm_attempts=1, llm_cache_mb=0,
    )  # fmt: skip
    with Workspace(made) as workspace:
        found = answer(workspace, "default", inquiry, assumptions=over)
        assert [one.text for one in found.sentences] == [
            "You can get the winter grant: you are over 65 and rent your home."
        ]
        assert found.inquiry == inquiry
        assert scripted.counters()["requests"] == 2
        assert answer(workspace, "default", inquiry).sentences[0].text.endswith("if you are over 65.")
