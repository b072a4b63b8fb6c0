"""The DAG file that an Airflow of one's own reads: a few lines that call the installed package."""

from __future__ import annotations

import os
from pathlib import Path

from clausegraph.core.errors import InputError
from clausegraph.core.settings import CONFIG_NAME, PREFIX
from clausegraph.indexes.files import file_errors

FILE = "clausegraph_ingest_dag.py"


def write_dag_file(folder: Path, *, replace: bool = False) -> tuple[Path, Path | None]:
    """Write the DAG file into ``folder``; returns its path and that of the settings file it names.

    Raises:
        InputError: another file of that name is there.
        StorageError: the folder cannot be written.
    """
    config = _config()
    path = folder.expanduser().absolute() / FILE
    text = _text(config)
    with file_errors(path):
        if path.exists() and path.read_text(encoding="utf-8") != text and not replace:
            raise InputError(f"{path} is there and differs; add --force to replace it")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return path, config


def _config() -> Path | None:
    """The settings file in use: Airflow runs in another folder, so its whole path is written."""
    path = Path(os.environ.get(f"{PREFIX}CONFIG") or CONFIG_NAME).expanduser().absolute()
    return path if path.is_file() else None


def _text(config: Path | None) -> str:
    named = ["import os", "", f'os.environ.setdefault("{PREFIX}CONFIG", {str(config)!r})', ""] if config else []
    return "\n".join(
        [
            '"""One Airflow DAG per corpus of ClauseGraph\'s settings; written by `clausegraph dags export`."""',
            "",
            *named,
            "from clausegraph.dags.building import ingest_dags",
            "",
            "globals().update(ingest_dags())",
            "",
        ]
    )
