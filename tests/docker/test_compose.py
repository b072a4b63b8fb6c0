"""What compose.yaml promises: loopback only, nothing but pinned images, no secret, nobody is root, all of it exists."""

import importlib.util
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.testing import CliRunner

from clausegraph.app.servers import airflow, neo4j
from clausegraph.app.servers.neo4j import VERSION
from clausegraph.core.settings import MODEL_POOL, PREFIX, Settings, load_settings
from tests.docker.stack import COMPOSE, DOCKER, ENV_EXAMPLE, REPOSITORY, SERVICES, VARIABLE, resolved, texts
from tests.harness.cli import made_app

ONE_SHOT = {"airflow-init", "cli"}
OURS = {name for name, service in SERVICES.items() if service["image"].startswith("clausegraph:")}
SECRET = re.compile(r"PASSWORD$|SECRET|KEY$|AUTH$|SQL_ALCHEMY_CONN$")
each_service = pytest.mark.parametrize("name", SERVICES)


def test_every_published_port_is_on_loopback() -> None:
    ports = [port for service in SERVICES.values() for port in service.get("ports", ())]
    assert ports and not [port for port in ports if not re.fullmatch(r"127\.0\.0\.1:\$\{\w+:-\d+\}:\d+", port)]
    assert "ports" not in SERVICES["postgres"]
    assert not any(service.get("network_mode") for service in SERVICES.values())


@each_service
def test_the_image_is_pinned(name: str) -> None:
    image = SERVICES[name]["image"]
    assert re.fullmatch(r"[a-z0-9]+:\d+\.\d+(\.\d+)?(-[a-z]\w*)?", image), image
    version = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    expected = {"neo4j": f"neo4j:{VERSION}-community"}.get(name, f"clausegraph:{version}" if name in OURS else image)
    assert image == expected


@each_service
def test_nobody_has_more_rights_than_needed(name: str) -> None:
    service = SERVICES[name]
    assert service["cap_drop"] == ["ALL"] and service["security_opt"] == ["no-new-privileges:true"]
    assert name in OURS or re.fullmatch(r"[1-9]\d*:[1-9]\d*", service["user"])  # ours: the Dockerfile's USER
    assert service.get("read_only") or name == "neo4j"  # which writes its neo4j.conf
    assert not {"privileged", "cap_add", "pid", "ipc", "devices", "hostname", "container_name"} & set(service)
    assert re.fullmatch(r"\d+[mg]", service["mem_limit"])


@each_service
def test_what_runs_on_is_asked_how_it_is(name: str) -> None:
    service = SERVICES[name]
    assert (service["restart"], "healthcheck" in service) == (
        ("no", False) if name in ONE_SHOT else ("unless-stopped", True)
    )
    for other, rule in service.get("depends_on", {}).items():
        wanted = "service_completed_successfully" if other in ONE_SHOT else "service_healthy"
        assert rule == {"condition": wanted} and other in SERVICES


def test_every_secret_is_required_and_in_the_example() -> None:
    for name, service in SERVICES.items():
        for key, value in service.get("environment", {}).items():
            if SECRET.search(key) and key != "CLAUSEGRAPH_LLM_KEY":
                assert any(found[2] == "?" for found in VARIABLE.finditer(value)), (name, key)
    found = [match for text in texts(COMPOSE) for match in VARIABLE.finditer(text)]
    required = {match[1] for match in found if match[2] == "?"}
    assert required == set(re.findall(r"^(\w+)=$", ENV_EXAMPLE, re.MULTILINE))
    assert {match[1] for match in found} - required == set(re.findall(r"^#(\w+)=", ENV_EXAMPLE, re.MULTILINE))
    assert all(match[2] for match in found)  # none that is silently empty


def test_the_ledger_is_one_local_volume() -> None:
    assert all(not options for options in COMPOSE["volumes"].values())  # the local driver
    mounted = {
        name: [volume.split(":") for volume in map(resolved, service.get("volumes", ()))]
        for name, service in SERVICES.items()
    }
    for name in OURS:
        home = SERVICES[name]["environment"]["CLAUSEGRAPH_HOME"]
        assert ["ledger", home] in mounted[name]
    for source, *rest in [volume for volumes in mounted.values() for volume in volumes]:
        if source.startswith("."):
            assert (DOCKER / source).exists() and rest[-1] == "ro"
        else:
            assert source in COMPOSE["volumes"]


@pytest.mark.parametrize("name", sorted(OURS))
def test_the_settings_are_settings(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    environment = {key: resolved(value) for key, value in SERVICES[name]["environment"].items()}
    ours = {key.removeprefix(PREFIX).lower(): value for key, value in environment.items() if key.startswith(PREFIX)}
    assert set(ours) - {"config"} <= set(Settings.model_fields)
    for key, value in environment.items():
        monkeypatch.setenv(key, value)
    target = environment["CLAUSEGRAPH_CONFIG"]
    (source,) = [volume.split(":")[0] for volume in SERVICES[name]["volumes"] if f":{target}:" in volume]
    monkeypatch.setenv("CLAUSEGRAPH_CONFIG", str(DOCKER / source))
    settings = load_settings()
    assert (settings.neo4j_mode, settings.neo4j_uri, settings.llm) == ("required", "bolt://neo4j:7687", None)
    folders = [volume.rsplit(":", 2)[1] for volume in SERVICES[name]["volumes"] if volume.endswith(":ro")]
    assert settings.corpus in settings.corpora and settings.corpora[settings.corpus].source in folders
    assert settings.corpora[settings.corpus].pool == MODEL_POOL


def test_airflow_is_started_as_the_tests_start_it() -> None:
    for part, words in airflow._COMMANDS.items():
        wanted = ["airflow", *words, *(["8080"] if words[-1] == "--port" else [])]
        name = "airflow-api" if part == "api-server" else f"airflow-{part}"
        assert SERVICES[name]["command"] == [{"127.0.0.1": "0.0.0.0"}.get(word, word) for word in wanted]
    here = airflow._environment(Path("/x"), 8080, Path("/dags"), {"fernet": "f", "jwt": "j", "password": "p"})
    there = SERVICES["airflow-scheduler"]["environment"]
    same = ("AIRFLOW__CORE__EXECUTOR", "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS", "AIRFLOW__API__BASE_URL")
    assert {name: resolved(there[name]) for name in same} == {name: here[name] for name in same}


def test_every_command_of_ours_is_one() -> None:
    commands = [service["command"] for name, service in SERVICES.items() if name in OURS and name != "cli"]
    commands += [SERVICES["cli"]["entrypoint"] + SERVICES["cli"]["command"]]
    commands += [service["healthcheck"]["test"][1:] for name, service in SERVICES.items() if name not in ONE_SHOT]
    ours = [words for words in commands if words[0] == "clausegraph"]
    assert len(ours) == 6
    for _, *words in ours:
        path = words[: next((at for at, word in enumerate(words) if word.startswith("--")), len(words))]
        shown = CliRunner().invoke(made_app(), [*path, "--help"], env={"COLUMNS": "200", "TERM": "dumb"})
        assert shown.exit_code == 0, words
        assert all(word in shown.output for word in words if word.startswith("--")), words


@pytest.mark.skipif(importlib.util.find_spec("airflow") is None, reason="Airflow is not installed")
def test_airflow_knows_its_settings() -> None:
    (root,) = importlib.util.find_spec("airflow").submodule_search_locations  # type: ignore[union-attr,misc]
    text = (Path(root) / "config_templates" / "config.yml").read_text(encoding="utf-8")
    known: dict[str, Any] = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    for name in SERVICES["airflow-scheduler"]["environment"]:
        if name.startswith("AIRFLOW__"):
            _, section, option = name.lower().split("__")
            assert option in known[section]["options"], name


def test_neo4j_is_set_as_the_tests_set_it(tmp_path: Path) -> None:
    (tmp_path / "conf").mkdir()
    neo4j._write_configuration(tmp_path, 1, 2, {})
    lines = (tmp_path / "conf" / "neo4j.conf").read_text(encoding="utf-8").splitlines()
    written = dict(line.split("=", 1) for line in lines)
    environment = SERVICES["neo4j"]["environment"]
    settings = {  # the image's rule: a dot is written _, an underscore __
        key.removeprefix("NEO4J_").replace("__", "\0").replace("_", ".").replace("\0", "_"): value
        for key, value in environment.items()
        if key != "NEO4J_AUTH"
    }
    assert settings.pop("server.memory.heap.max_size")  # -Xmx there
    assert settings == {key: written.get(key) for key in settings}
