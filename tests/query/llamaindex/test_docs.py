"""docs/llamaindex.md, run as a reader would."""

import re
import shlex
from pathlib import Path

import pytest

from clausegraph.query.retrieve.bank import RETRIEVERS
from tests.app.cli.conftest import REPOSITORY, Cli, clean_environment, cli

__all__ = ["clean_environment", "cli"]  # the fixtures of the command line's own tests


def test_examples(cli: Cli, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (REPOSITORY / "docs" / "llamaindex.md").read_text(encoding="utf-8")
    asked, opened, copied = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    (tmp_path / "examples").symlink_to(REPOSITORY / "examples")
    names: dict[str, object] = {}
    exec(compile(asked, "asked", "exec"), names)
    said = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in said[: len(RETRIEVERS.names)]] == list(RETRIEVERS.names)
    assert sum(line.startswith("Winter Heating Grant ") for line in said) >= 2
    assert any(line.endswith("['Winter Heating Grant']") for line in said)
    exec(compile(opened, "opened", "exec"), names)
    said = capsys.readouterr().out.splitlines()
    assert len(said) >= 7
    assert said[0].startswith("Winter Heating Grant ") and said[2].startswith("corpus:")
    assert all(" -> " in line for line in said[3:6])
    assert all(line.startswith("winter heating grant |") or "| winter heating grant |" in line for line in said[6:])
    (export,) = re.findall(r"^clausegraph (export --to llamaindex storage .*)$", text, re.MULTILINE)
    assert cli(*shlex.split(export)).exit_code == 0
    exec(compile(copied, "copied", "exec"), names)
    page, facts = capsys.readouterr().out.splitlines()
    assert page.startswith("corpus:") and int(facts.split()[0]) > 40
