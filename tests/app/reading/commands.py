"""Every command that reads, run one after the other: a program of its own, so that it can be run where nothing may be
written. Prints a JSON object: what each said that failed."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.testing import CliRunner

from tests.harness.cli import made_app

READING = {
    "ask": ["Who can apply for an allotment?"],
    "search": ["allotments"],
    "status": [],
    "show": ["RUN"],
    "pages list": [],
    "pages show": ["Winter heating grant"],
    "rules": ["winter heating grant"],
    "facts": [],
    "entity": ["winter heating grant"],
    "path": ["winter heating grant", "carer payment"],
    "contradictions": [],
    "diff": ["1", "1"],
    "history": ["Winter heating grant"],
    "watch list": [],
    "watch feed": [],
    "forget list": [],
    "audit": [],
    "schedule": [],
    "mcp": [],
    "export": ["--output", "OUTPUT"],
    "doctor": [],
    "corpora list": [],
    "entities list": [],
    "entities merges": [],
    "epochs list": [],
    "quarantine list": [],
    "statements list": [],
    "questions list": [],
}
WRITING = {
    "ingest", "pages remove", "pages refresh",
    "corpora drop", "entities review", "entities merge", "entities undo", "entities apply", "epochs rollback",
    "epochs vacuum", "project neo4j", "server neo4j", "server stop", "dags export", "dags serve", "dags run",
    "dags prepare", "dags stop", "eval conditionalqa", "eval passages", "eval report",
    "serve", "tokens add", "tokens revoke",
    "statements hide", "statements undo", "questions remove", "quarantine accept", "quarantine drop",
    "move", "watch add", "watch approve", "watch remove", "watch run", "forget page", "forget source", "forget allow",
    "gate set", "gate remove", "backup make", "restore",
}  # fmt: skip
NO_LEDGER = {  # or one of their own, or another server's; the last ones need something that few corpora have
    "settings", "cypher", "prompts list", "prompts show", "prompts render", "dags health", "dev fake-llm",
    "eval compare", "tokens list", "eval crag", "dev crag-api",
    "backup list", "forget check",
    "questions export", "quarantine show", "watch show", "gate show", "gate run",
}  # fmt: skip


def all_commands() -> set[str]:
    """Every command of the command line, by its words."""

    def leaves(command: Any, words: tuple[str, ...] = ()) -> Iterator[str]:
        if hasattr(command, "commands"):
            for name, inner in command.commands.items():
                yield from leaves(inner, (*words, name))
        else:
            yield " ".join(words)

    return set(leaves(typer.main.get_command(made_app())))


def failures(home: Path, elsewhere: Path) -> dict[str, str]:
    """Run the reading commands on a home; what those said that did not end with 0."""
    runner = CliRunner(env={"CLAUSEGRAPH_EMBEDDING_MODEL": "hashing", "CLAUSEGRAPH_HOME": str(home)})
    status = runner.invoke(made_app(), ["status", "--json"])
    if status.exit_code:
        return {"status": status.output}
    given = {"RUN": json.loads(status.stdout)["corpora"][0]["runs"][0]["id"], "OUTPUT": str(elsewhere / "facts.jsonl")}
    failed = {}
    for words, arguments in READING.items():
        done = runner.invoke(made_app(), [*words.split(), *(given.get(word, word) for word in arguments)])
        if done.exit_code:
            failed[words] = f"{done.exit_code}: {done.output} {done.exception!r}"
    return failed


if __name__ == "__main__":
    sys.stdout.write(json.dumps(failures(Path(sys.argv[1]), Path(sys.argv[2]))) + "\n")
