"""The DAG file that an Airflow of one's own reads: a few lines that call the installed package."""

from __future__ import annotations

import os
from pathlib import Path

from clausegraph.core.output_files import check_output_folder, replacing
from clausegraph.core.settings import CONFIG_NAME, PREFIX
from clausegraph.indexes.files import file_errors

FILE = "clausegraph_ingest_dag.py"


def write_dag_file(folder: Path, home: Path, *, replace: bool = False) -> tuple[Path, Path | None]:
    """Write the DAG file into ``folder``; returns its path and that of the settings file it names.

    Raises:
        InputError: another file of that name is there, or the folder lies in the home folder.
        StorageError: the folder cannot be written.
    """
    config = _config()
    path = folder.expanduser().absolute() / FILE
    text = _text(config)
    check_output_folder(path.parent, home=home, replace=True)
    with file_errors(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        same = path.is_file() and path.read_bytes() == text.encode("utf-8")
    with replacing(path, home=home, replace=replace or same) as file:
        file.write(text.encode("utf-8"))
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
