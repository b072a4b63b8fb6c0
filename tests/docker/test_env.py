"""docker/new_env.py: a new secret for every name that needs one."""

import re
import runpy
from base64 import urlsafe_b64decode
from pathlib import Path
from typing import Any

import pytest

from tests.docker.stack import DOCKER, ENV_EXAMPLE, VARIABLE, resolved


@pytest.fixture
def script() -> dict[str, Any]:
    return runpy.run_path(str(DOCKER / "new_env.py"))


def test_every_secret_is_new_and_fits(script: dict[str, Any], tmp_path: Path) -> None:
    script["main"](tmp_path)
    path = tmp_path / ".env"
    assert path.stat().st_mode & 0o777 == 0o600
    values = dict(re.findall(r"^(\w+)=(.+)$", path.read_text(encoding="utf-8"), re.MULTILINE))
    assert set(values) == set(re.findall(r"^(\w+)=$", ENV_EXAMPLE, re.MULTILINE))
    assert len(set(values.values())) == len(values)
    assert not [value for value in values.values() if not re.fullmatch(r"[\w=-]{32,}", value, re.ASCII)]
    assert len(urlsafe_b64decode(values["AIRFLOW_FERNET_KEY"])) == 32
    assert script["filled"](ENV_EXAMPLE) != script["filled"](ENV_EXAMPLE)


def test_one_that_is_there_stays(script: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("mine", encoding="utf-8")
    with pytest.raises(SystemExit, match="not replaced"):
        script["main"](tmp_path)
    assert (tmp_path / ".env").read_text(encoding="utf-8") == "mine"


def test_interpolation_is_read_as_compose_reads_it() -> None:
    assert resolved("a/${X:?why}/${Y:-b}/${Z:-}") == "a/<X>/b/"
    assert resolved("${X:?why}", X="1") == "1"
    assert [found[2] for found in VARIABLE.finditer("${X} ${Y:?why}")] == [None, "?"]
