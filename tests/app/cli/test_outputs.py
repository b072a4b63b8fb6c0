"""Files that a command writes: never over the ledger, a device or somebody's work, and whole or not at all."""

import os
from pathlib import Path
from socket import AF_UNIX, socket

import pytest

from clausegraph.core.errors import InputError
from clausegraph.core.output_files import check_output, check_output_folder, replacing
from tests.app.cli.conftest import Cli, parsed


@pytest.mark.parametrize("force", [[], ["--force"]])
def test_nothing_is_written_over_the_ledger(cli: Cli, stocked: Path, tmp_path: Path, force: list[str]) -> None:
    before = {path: path.read_bytes() for path in stocked.rglob("*") if path.is_file()}
    (tmp_path / "link").symlink_to(stocked / "ledger.db")
    (tmp_path / "door").symlink_to(stocked)
    for output in (
        "home/ledger.csv",
        "home/new.csv",
        "home/segments/x.csv",
        "link",
        "door/x.csv",
        "home/../home/x.csv",
    ):
        result = cli("export", "--output", str(tmp_path / output), *force)
        assert result.exit_code == 2, output
        assert "lies in the home folder" in result.stderr or "symbolic link" in result.stderr
    for output in ("home", "home/new", "door/new/deep"):
        assert "home folder" in cli("export", "--to", "llamaindex", str(tmp_path / output)).stderr
        assert "home folder" in cli("dags", "export", str(tmp_path / output), *force).stderr
        words = ["eval", "conditionalqa", "--questions", "q", "--predictions", "p", "--output", str(tmp_path / output)]
        assert "home folder" in cli(*words, *force).stderr
        assert "home folder" in cli("eval", "report", str(tmp_path / output)).stderr
    after = {path: path.read_bytes() for path in stocked.rglob("*") if path.is_file() and path in before}
    assert after == before and not (stocked / "new").exists()


@pytest.mark.usefixtures("stocked")
def test_what_is_no_file_is_not_written(cli: Cli, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with socket(AF_UNIX) as bound:
        bound.bind(str(tmp_path / "socket"))
    (tmp_path / "dangling").symlink_to("nothing")
    for name, why in (("pipe", "a device, pipe or socket"), ("socket", "socket"), ("dangling", "a symbolic link")):
        assert why in cli("export", "-o", str(tmp_path / name), "--force").stderr
    assert "device" in cli("export", "-o", "/dev/null", "--force").stderr
    assert "too long" in cli("export", "-o", str(tmp_path / ("x" * 300))).stderr


def test_a_file_that_is_there_is_replaced_by_force_alone_and_through_no_link(
    cli: Cli, stocked: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out.csv"
    out.write_text("work of a week")
    result = cli("export", "-o", str(out))
    assert result.exit_code == 2 and "--force" in result.stderr and out.read_text() == "work of a week"
    assert parsed(cli("export", "-o", str(out), "--force", "--json"))["counts"]["support"] > 0
    assert out.read_text().startswith("fact,")
    (tmp_path / "dags").mkdir()
    (tmp_path / "dags" / "clausegraph_ingest_dag.py").symlink_to(stocked / "ledger.db")
    assert "symbolic link" in cli("dags", "export", str(tmp_path / "dags"), "--force").stderr


def test_an_evaluation_is_not_written_over_another(tmp_path: Path) -> None:
    out = tmp_path / "out"
    check_output_folder(out / "new" / "deep", home=None, replace=False)
    out.mkdir()
    check_output_folder(out, home=None, replace=False)
    (out / "answers.jsonl").write_text("{}")
    with pytest.raises(InputError, match="not empty; add --force"):
        check_output_folder(out, home=None, replace=False)
    check_output_folder(out, home=None, replace=True)
    with pytest.raises(InputError, match=r"answers\.jsonl is no folder"):
        check_output_folder(out / "answers.jsonl" / "x", home=None, replace=True)


def test_a_failed_write_leaves_what_was_there(tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.write_text("old")
    with pytest.raises(ZeroDivisionError), replacing(out) as file:
        file.write(b"new")
        raise ZeroDivisionError
    assert [path.name for path in tmp_path.iterdir()] == ["out"] and out.read_text() == "old"
    with pytest.raises(InputError, match="there already"), replacing(tmp_path / "late", replace=False) as file:
        (tmp_path / "late").write_text("somebody else's")
    assert (tmp_path / "late").read_text() == "somebody else's"
    check_output(tmp_path / "fresh", home=tmp_path / "no-home-yet", replace=False)
