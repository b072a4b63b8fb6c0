"""compose.yaml and Dockerfile as data. No Docker engine is needed, and none runs where these tests were written."""

import json
import re
import shlex
from pathlib import Path
from typing import Any

import yaml

REPOSITORY = Path(__file__).resolve().parents[2]
DOCKER = REPOSITORY / "docker"
COMPOSE: dict[str, Any] = yaml.safe_load((DOCKER / "compose.yaml").read_text(encoding="utf-8"))
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
ENV_EXAMPLE = (DOCKER / ".env.example").read_text(encoding="utf-8")
VARIABLE = re.compile(r"\$\{(\w+)(?::([-?])([^}]*))?\}")


def texts(value: Any) -> list[str]:
    """Every string below a value of the compose file."""
    if isinstance(value, dict):
        return [text for one in value.values() for text in texts(one)]
    if isinstance(value, list):
        return [text for one in value for text in texts(one)]
    return [value] if isinstance(value, str) else []


def resolved(text: str, **values: str) -> str:
    """A text as compose makes it: the values, else the defaults."""
    return VARIABLE.sub(lambda found: values.get(found[1]) or (found[3] if found[2] == "-" else f"<{found[1]}>"), text)


def instructions() -> list[tuple[str, str]]:
    """The Dockerfile's instructions, each with its words on one line; comments left out."""
    lines = (DOCKER / "Dockerfile").read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.lstrip().startswith("#"))
    joined = re.sub(r"\\\n\s*", " ", text)
    return [(words[0], words[1]) for line in joined.splitlines() if (words := line.split(None, 1))]


def words_of(text: str) -> list[str]:
    """The words of a command, in either form."""
    return list(json.loads(text)) if text.startswith("[") else shlex.split(text)
