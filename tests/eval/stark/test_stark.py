"""Retrieval from a knowledge base with text and relations, and questions over a graph alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clausegraph.app.services.crag_evaluation import CragTrial
from clausegraph.app.services.graph_evaluation import StarkTrial, measure_kgqa, measure_stark
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, SettingsError
from clausegraph.core.settings import load_settings
from clausegraph.eval.crag.dataset import read_paths
from clausegraph.eval.crag.run import by_group
from clausegraph.eval.stark.run import read_base, stark_figures
from clausegraph.query.crag.times import now
from tests.harness.fake_llm import FakeModelServer, FakeOptions

pytestmark = [pytest.mark.integration, pytest.mark.long]
EXAMPLE = Path(__file__).parents[3] / "examples" / "knowledge"


def _workspace(tmp_path: Path, fake: FakeModelServer | None = None) -> Workspace:
    llm = {"llm": "openai:fake-small", "llm_url": f"{fake.url}/v1", "llm_key": "none"} if fake else {}
    return Workspace(load_settings(home=tmp_path / "home", embedding_model="hashing", **llm))


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """Two bridges of one engineer over two rivers; only the second has a ceiling."""
    folder = tmp_path / "base"
    folder.mkdir()
    names = {"e": "engineer", "r": "river", "s": "river", "a": "bridge", "b": "bridge", "c": "bridge"}
    called = {"e": "Mara Vell", "r": "Orrin", "s": "Tamble", "a": "Alder", "b": "Birch", "c": "Cedar"}
    texts = {"b": "It has a painted ceiling.", "c": "It has a painted ceiling too, painted ceiling."}
    nodes = [{"id": key, "type": kind, "name": called[key], "text": texts.get(key, "")} for key, kind in names.items()]
    edges = [("a", "built by", "e"), ("b", "built by", "e"), ("a", "over", "r"), ("b", "over", "s"), ("c", "over", "s")]
    _write(folder / "nodes.jsonl", nodes)
    _write(folder / "edges.jsonl", [{"from": one, "relation": name, "to": other} for one, name, other in edges])
    question = "Which bridge built by Mara Vell has a painted ceiling?"
    _write(folder / "questions.jsonl", [{"id": "q", "question": question, "answers": ["b"]}])
    return folder


def _write(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))


def test_the_example_needs_text_and_relations_and_is_ranked_without_a_model(tmp_path: Path) -> None:
    read = read_base(EXAMPLE)
    assert len(read.graph.nodes) >= 60
    assert len(read.questions) >= 20
    with _workspace(tmp_path) as workspace:
        found = measure_stark(workspace, EXAMPLE, StarkTrial(), tmp_path / "out")
        assert list(found) == ["vector", "pagerank", "hybrid-one-round"]
        figures = {name: stark_figures(records) for name, records in found.items()}
        assert figures["hybrid-one-round"].hit_5 > figures["vector"].hit_5
        kept = tmp_path / "out" / "vector" / "answers.jsonl"
        assert read.questions[0].text not in kept.read_text()
        kept.write_text("".join(f"{line}\n" for line in kept.read_text().splitlines()[:3]))
        again = measure_stark(workspace, EXAMPLE, StarkTrial(("vector",)), tmp_path / "out")["vector"]
        assert [one.ranked for one in again] == [one.ranked for one in found["vector"]]
        with pytest.raises(InputError, match="a run with types"):
            measure_stark(
                workspace,
                EXAMPLE,
                StarkTrial(("vector",), ("bridge", "paper", "engineer", "town", "maker")),
                tmp_path / "out",
            )
        with pytest.raises(SettingsError, match="'hybrid' asks"):
            measure_stark(workspace, EXAMPLE, StarkTrial(("hybrid",)))
        with pytest.raises(InputError, match="take one of vector"):
            measure_stark(workspace, EXAMPLE, StarkTrial(("best",)))


def test_the_critic_sends_the_router_back_with_one_error(base: Path, tmp_path: Path) -> None:
    wrong = {"entities": [{"name": "Tamble", "type": "river"}], "relations": ["over"], "module": "graph"}
    right = {"entities": [{"name": "Mara Vell", "type": "engineer"}], "relations": ["built by"], "module": "graph"}
    script = [
        json.dumps(one)
        for one in (
            wrong,
            {"missing": "built by Mara Vell", "enough": False},
            {"error": "entity or relation wrong", "about": "Tamble"},
            right,
            {"missing": "", "enough": True},
        )
    ]
    with FakeModelServer(FakeOptions(replies="script", script=script)) as fake, _workspace(tmp_path, fake) as workspace:
        record = measure_stark(workspace, base, StarkTrial(("hybrid",), ("bridge",)))["hybrid"][0]
    assert (record.ranked[0], record.rounds, record.calls) == ("b", 2, 5)
    assert record.how[0] == "graph: Tamble along over: 2 nodes in common"
    assert record.how[-2].startswith("graph: Mara Vell along built by")
    with FakeModelServer(FakeOptions(replies="script", script=script)) as fake, _workspace(tmp_path / "2", fake) as one:
        alone = measure_stark(one, base, StarkTrial(("hybrid-one-round",), ("bridge",)))["hybrid-one-round"][0]
    assert (alone.ranked[0], alone.calls) == ("c", 1)


def test_a_model_re_ranks_and_what_it_says_that_cannot_be_used_changes_nothing(base: Path, tmp_path: Path) -> None:
    trial = StarkTrial(("vector", "vector-reranked"), ("bridge",))
    for reply, changed in ((json.dumps({"order": [2, 1]}), True), ("no order", False)):
        options = FakeOptions(replies="script", script=[reply])
        with FakeModelServer(options) as fake, _workspace(tmp_path / str(changed), fake) as workspace:
            first, second = (found[0] for found in measure_stark(workspace, base, trial).values())
        assert second.ranked[:2] == (first.ranked[1::-1] if changed else first.ranked[:2])
        assert bool(second.how) is not changed


@pytest.mark.parametrize(
    ("file", "line", "message"),
    [
        ("nodes.jsonl", '{"id": "a", "text": "again"}', "an id twice"),
        ("edges.jsonl", '{"from": "a", "relation": "over", "to": "zz"}', "no edge .*no node 'zz'"),
        ("questions.jsonl", '{"question": "which?", "answers": []}', "no question .*no answers"),
        ("questions.jsonl", '{"question": "who?", "answers": ["e"]}', "'engineer', none of bridge"),
        ("nodes.jsonl", "[]", "is no node"),
    ],
)
def test_files_that_are_wrong_are_told_by_line(base: Path, file: str, line: str, message: str) -> None:
    with (base / file).open("a") as opened:
        opened.write(line + "\n")
    with pytest.raises(InputError, match=message):
        read_base(base, ("bridge",))


@pytest.fixture
def paths(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    questions, triples = tmp_path / "paths.txt", tmp_path / "kb.txt"
    rows = (
        "who built alder ?\tmara_vell(mara_vell)\talder#built_by#mara_vell#<end>#mara_vell",
        "where was who built alder born ?\torrin(orrin/tamble)\talder#built_by#mara_vell#born_in#orrin",
    )
    questions.write_text("\n".join(rows) + "\n")
    triples.write_text("alder\t\tbuilt_by\tmara_vell\nmara_vell\t\tborn_in\torrin\n")  # as PathQuestion has them
    yield questions, triples


def test_paths_are_read_as_published(paths: tuple[Path, Path]) -> None:
    cases = read_paths(paths[0], now())
    assert [(one.answers, one.labels["hops"]) for one in cases] == [(("mara vell",), "1"), (("orrin", "tamble"), "2")]
    paths[0].write_text("who?\tshe\tno-chain\n")
    with pytest.raises(InputError, match="line 1: path 'no-chain'"):
        read_paths(paths[0], now())


def test_a_plan_over_triples_is_scored_by_hops(paths: tuple[Path, Path], tmp_path: Path) -> None:
    hop = {"drop": [], "follow": [], "enough": True, "wrong_entity": False}
    answer = {"sub_problems": [], "used": ["r1"], "false_premise": False, "answer": "Mara Vell", "answerable": True}
    script = [
        json.dumps(one)
        for one in (
            {"entities": [{"name": "alder", "type": ""}], "first_day": "", "last_day": ""},
            hop,
            answer,
            {"entities": [{"name": "alder", "type": ""}], "first_day": "", "last_day": ""},
            hop | {"follow": ["built_by"], "enough": False},
            hop,
            answer,
        )
    ]
    with FakeModelServer(FakeOptions(replies="script", script=script)) as fake, _workspace(tmp_path, fake) as workspace:
        found = measure_kgqa(workspace, *paths, CragTrial(rows=("kerag",), judge=False))["kerag"]
        assert [one.verdict for one in found] == ["correct", "incorrect"]
        assert [one.calls for one in found] == [3, 4]  # hops + 2
        assert by_group(found)["hops: 2"].score == -1.0
    with _workspace(tmp_path) as workspace, pytest.raises(SettingsError, match="CLAUSEGRAPH_LLM"):
        measure_kgqa(workspace, *paths, CragTrial(rows=("kerag",)))
