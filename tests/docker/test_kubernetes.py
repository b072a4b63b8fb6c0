"""The values for Airflow's Helm chart: of the image, settings that there are, no secret. No cluster runs them."""

import re
import tomllib
from typing import Any

import pytest
import yaml

from clausegraph.core.settings import PREFIX, Settings
from tests.docker.stack import DOCKER, REPOSITORY, instructions, texts

VALUES: dict[str, Any] = yaml.safe_load((DOCKER / "airflow" / "kubernetes.yaml").read_text(encoding="utf-8"))
IMAGE = {name: rest for name, rest in instructions() if name in {"USER", "ENV"}}


def test_it_runs_the_image_and_its_user() -> None:
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    constraints = (REPOSITORY / "constraints.txt").read_text(encoding="utf-8")
    assert VALUES["defaultAirflowTag"] == project["version"]
    assert f"apache-airflow=={VALUES['airflowVersion']}\n" in constraints
    assert f"{VALUES['uid']}:{VALUES['gid']}" == IMAGE["USER"]
    for name, value in (("AIRFLOW_HOME", "airflowHome"), ("AIRFLOW__CORE__DAGS_FOLDER", "config.core.dags_folder")):
        found: Any = VALUES
        for key in value.split("."):
            found = found[key]
        assert f"{name}={found} " in f"{IMAGE['ENV']} "


def test_settings_are_settings_and_secrets_come_from_the_secret() -> None:
    plain = [one["name"] for one in VALUES["env"]]
    secret = [one["envName"] for one in VALUES["secret"]]
    assert {name.removeprefix(PREFIX).lower() for name in (*plain, *secret)} - {"config"} <= set(Settings.model_fields)
    assert {one["secretName"] for one in VALUES["secret"]} == {VALUES["fernetKeySecretName"]}
    assert not [text for text in texts(VALUES) if re.search(r"://|[A-Za-z0-9+/]{32}", text)]


def test_options_of_airflow_are_options() -> None:
    configuration = pytest.importorskip("airflow.configuration", reason="the extra airflow is not installed")
    known = configuration.retrieve_configuration_description(include_providers=False)
    named = [(section, option) for section, options in VALUES["config"].items() for option in options]
    assert [pair for pair in named if pair[1] not in known.get(pair[0], {}).get("options", {})] == []
