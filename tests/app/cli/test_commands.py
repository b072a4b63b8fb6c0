"""Every command on the sample corpus, for people and as JSON."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.app.cli.conftest import REPOSITORY, SAMPLE, Cli, parsed

QUESTION = "Can I get the Winter Heating Grant if I live in a care home?"


def test_a_page_read_again_is_none_that_changed(cli: Cli) -> None:
    cli("ingest", str(SAMPLE))
    again = cli("ingest", str(SAMPLE), "--limit", "1", "--force").stdout
    assert "0 added, 0 changed" in again and "1 read again" in again


def test_removed_page_goes_or_is_kept(cli: Cli, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    shutil.copytree(SAMPLE / "guides", pages)
    cli("ingest", str(pages))
    (pages / "heating-help.html").unlink()
    assert parsed(cli("ingest", str(pages), "--keep-missing", "--json"))["pages_kept"] == ["heating-help.html"]
    assert parsed(cli("ingest", str(pages), "--json"))["pages_removed"] == ["heating-help.html"]


@pytest.mark.usefixtures("stocked")
def test_ask(cli: Cli) -> None:
    text = cli("ask", QUESTION, "--scenario", "I am 70 and rent a flat.")
    assert text.exit_code == 0 and "Source: " in text.stdout
    assert re.search(r"^(?:Evidence|The pages? says?):$", text.stdout, re.MULTILINE)
    assert "Winter Heating Grant › " in text.stdout
    value = parsed(cli("ask", QUESTION, "--scenario", "I am 70.", "--json", "--trace"))
    assert value["scenario"] == "I am 70." and value["epoch"] == 1 and value["trace"]


@pytest.mark.usefixtures("stocked")
def test_a_question_needs_no_quotes(cli: Cli) -> None:
    for command in ("ask", "search"):
        assert parsed(cli(command, "Who", "pays", "the", "grant?", "--json"))["question"] == "Who pays the grant?"


@pytest.mark.usefixtures("stocked")
@pytest.mark.parametrize("retriever", ["hybrid", "bm25"])
def test_search(cli: Cli, retriever: str) -> None:
    value = parsed(cli("search", "Winter Heating Grant", "-r", retriever, "-n", "5", "--json"))
    scores = [hit["score"] for hit in value["hits"]]
    assert value["retriever"] == retriever and 0 < len(scores) <= 5
    assert scores == sorted(scores, reverse=True)
    assert cli("search", "Winter Heating Grant", "-r", retriever).stdout.startswith("score")


@pytest.mark.usefixtures("stocked")
def test_status_and_show(cli: Cli) -> None:
    (corpus,) = parsed(cli("status", "--json"))["corpora"]
    assert (corpus["corpus"], corpus["published"], corpus["pages"]) == ("default", 1, 18)
    assert corpus["facts"] > 40 and corpus["runs"][0]["status"] == "done"
    assert "18 pages" in cli("status", "--corpus", "default").stdout
    assert parsed(cli("show", corpus["runs"][0]["id"], "--json"))["report"]["corpus"] == "default"
    for name in ("corpus:heating-grant.html", "winter  heating grant", "heating-grant.html"):
        page = parsed(cli("show", name, "--json"))
        assert page["title"] == "Winter Heating Grant" and page["elements"] and page["chunks"]
    fact = next(one for one in page["facts"] if " if " in one["statement"])
    value = parsed(cli("show", fact["id"][:12], "--json"))
    assert value["id"] == fact["id"] and all(support["quotes"] for support in value["supports"])
    text = cli("show", fact["id"]).stdout
    assert "holds if" in text and "“" in text


@pytest.mark.usefixtures("stocked")
def test_show_refuses_what_is_ambiguous(cli: Cli, tmp_path: Path) -> None:
    shutil.copytree(SAMPLE / "guides", tmp_path / "copy")
    cli("ingest", str(tmp_path / "copy"), "--source-name", "copy")
    cli("ingest", str(tmp_path / "copy"), "--source-name", "more")
    refused = cli("show", "heating-help.html")
    assert refused.exit_code == 2 and "copy:heating-help.html" in refused.stderr


def test_corpora_drop(cli: Cli, stocked: Path) -> None:
    asked = cli("corpora", "drop", "default")
    assert asked.exit_code == 2 and "--yes" in asked.stderr
    gone = {"dropped": "default", "remains": [], "lagging": []}
    assert parsed(cli("corpora", "drop", "default", "--yes", "--json")) == gone
    assert cli("corpora", "list").stdout == "no corpora yet\n"
    assert not list((stocked / "segments").iterdir())


def test_epochs(cli: Cli, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    shutil.copytree(SAMPLE / "guides", pages)
    cli("ingest", str(pages))
    (pages / "heating-help.html").unlink()
    cli("ingest", str(pages))
    assert [epoch["epoch"] for epoch in parsed(cli("epochs", "list", "--json"))] == [2, 1]
    assert parsed(cli("epochs", "rollback", "1", "--json"))["published"] == 1
    assert "rolled back" in cli("status").stdout
    assert cli("show", "heating-help.html").exit_code == 0
    assert cli("show", "heating-help.html", "--epoch", "2").exit_code == 3
    cli("epochs", "rollback", "2")
    report = parsed(cli("epochs", "vacuum", "--keep-epochs", "1", "--keep-days", "0", "--json"))
    assert report["oldest_retained"] == 2 and report["epochs"] == 1
    assert report["kept"] == {"2": ["published", "newest"]}
    assert cli("epochs", "rollback", "1").exit_code == 3


def test_eval_scores_predictions(cli: Cli, tmp_path: Path) -> None:
    questions = REPOSITORY / "examples" / "questions.json"
    gold = json.loads(questions.read_text(encoding="utf-8"))
    predictions = tmp_path / "predictions.json"
    predictions.write_text(json.dumps([{"id": q["id"], "answers": q["answers"]} for q in gold]))
    command = ["eval", "conditionalqa", "--questions", str(questions)]
    assert cli(*command).exit_code == 2  # neither documents nor predictions
    command += ["--predictions", str(predictions)]
    value = parsed(cli(*command, "--output", str(tmp_path / "out"), "--json"))
    assert value["answers"]["total"]["em_with_conditions"] == 1.0
    made = tmp_path / "out" / "report.md"
    first = made.read_text(encoding="utf-8")
    made.unlink()
    assert parsed(cli("eval", "report", str(tmp_path / "out"), "--json")) == {"report": str(made)}
    assert made.read_text(encoding="utf-8") == first and cli("eval", "report", str(tmp_path)).exit_code == 2
    assert "1.000" in cli(*command).stdout


def test_an_engine_is_held_to_floors_and_its_run_can_be_read(cli: Cli, tmp_path: Path) -> None:
    contents = ["<h1>Permit</h1>", "<p>You can get a permit if you are 18.</p>", "<p>It costs £20.</p>"]
    documents, questions, floors = tmp_path / "documents.json", tmp_path / "dev.json", tmp_path / "floors.toml"
    documents.write_text(json.dumps([{"title": "Permit", "url": "https://x.example/permit", "contents": contents}]))
    asked = [
        {
            "id": f"q{number}", "url": "https://x.example/permit", "scenario": "I am 20.", "question": text,
            "not_answerable": False, "answers": [[answer, []]], "evidences": ["<p>It costs £20.</p>"],
        } for number, (text, answer) in enumerate((("What does it cost?", "£20"), ("Who owns it?", "the mayor")))
    ]  # fmt: skip
    questions.write_text(json.dumps(asked))
    floors.write_text("[low]\nquestions = 2\nf1 = 50\n[high]\nf1 = 99\n")
    runs = tmp_path / "runs"
    command = ["eval", "conditionalqa", "--documents", str(documents), "--questions", str(questions)]
    command += ["--engine", "loop", "--output", str(runs / "rules"), "--floors", str(floors), "--floor"]
    assert cli(*command, "low").exit_code == 0
    missed = cli(*command, "high")
    assert missed.exit_code == 6 and "f1 is 50.00, pinned is at least 99" in missed.stderr
    page = (runs / "rules" / "report.md").read_text(encoding="utf-8")
    assert "the mayor" in page and "setting: engine" in page


def test_global_options_before_or_after_the_command(cli: Cli, stocked_home: Path) -> None:
    before = cli("--home", str(stocked_home), "--json", "corpora", "list")
    after = cli("corpora", "list", "--home", str(stocked_home), "--json")
    assert parsed(before) == parsed(after) != []


def test_quiet_leaves_out_notes(cli: Cli) -> None:
    assert "clausegraph show" in cli("ingest", str(SAMPLE / "guides")).stderr
    assert cli("ingest", str(SAMPLE / "guides"), "--quiet").stderr == ""


def test_a_token_for_a_corpus_that_is_not_there_is_told_of(cli: Cli) -> None:
    made = cli("tokens", "add", "ann", "--role", "admin", "--for", "nope")
    assert made.exit_code == 0 and "for an admin" in made.stderr and "no corpus 'nope' yet" in made.stderr
    cli("ingest", str(SAMPLE), "--limit", "1")
    told = parsed(cli("tokens", "add", "bob", "--for", "default", "--for", "nope", "--json"))
    assert told["unknown_corpora"] == ["nope"]
