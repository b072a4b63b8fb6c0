"""What a run says of itself: never a secret, no commit of a stranger's repository, the digest of what was asked."""

import subprocess
from pathlib import Path

import pytest

from clausegraph.core.errors import InputError
from clausegraph.core.settings import Settings
from clausegraph.eval import provenance
from clausegraph.eval.provenance import SETTINGS, program, read_run, relevant_settings

pytestmark = pytest.mark.long


def test_no_setting_that_can_hold_a_secret_or_an_address_is_told() -> None:
    assert set(SETTINGS) <= set(Settings.model_fields)
    telling = [name for name in SETTINGS if name.endswith(("_key", "_password", "_url", "_uri", "_user"))]
    assert telling == []
    given = dict.fromkeys(("llm_key", "embedding_key", "neo4j_password"), "s3cret")
    settings = Settings(**given, llm="mistral:small", llm_url="http://me:s3cret@host/v1")
    assert relevant_settings(settings)["llm"] == "mistral:small"
    assert "s3cret" not in repr(relevant_settings(settings))


def test_the_commit_is_that_of_our_own_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", str(tmp_path), *words], capture_output=True, text=True, check=True)
        return done.stdout.strip()

    git("init", "-q")
    (tmp_path / "a.py").write_text("")
    who = ("-c", "user.name=A", "-c", "user.email=a@x.example", "-c", "commit.gpgsign=false")
    git("add", "a.py")
    git(*who, "commit", "-q", "-m", "first")
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "a.py"))
    assert program("1.0") == provenance.Program("1.0", git("rev-parse", "HEAD"), dirty=False)
    (tmp_path / "a.py").write_text("changed")
    assert program("1.0").dirty is True
    (tmp_path / "installed.py").write_text("")  # as in an environment inside somebody's repository
    monkeypatch.setattr(provenance, "__file__", str(tmp_path / "installed.py"))
    assert program("1.0") == provenance.Program("1.0")
    monkeypatch.setenv("PATH", "")
    assert program("1.0") == provenance.Program("1.0")


def test_another_file_in_place_of_a_run_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text('{"benchmark": "other"}')
    with pytest.raises(InputError, match=r"run\.json: field benchmark 'other'.*--output"):
        read_run(tmp_path)
