"""A model from the Hugging Face hub, as a folder in the hub's own cache."""

from __future__ import annotations

from pathlib import Path

from clausegraph.core.errors import ModelError

_FILES = ["*.json", "*.txt", "*.model", "*.safetensors"]
_OTHER_FORMATS = ["onnx/*", "openvino/*"]
_ANSWER_S = 5.0  # an unreachable hub is told after this, not after the many attempts of a download


def check_available(name: str, revision: str | None = None) -> None:
    """Ask the hub for the model where nothing of it was fetched before: a wrong name or no network is told early.

    Raises:
        ModelError: the hub cannot be reached, or has no such model.
    """
    if _fetched_before(name, revision) is None:
        _ask(name, revision)


def fetched_model(name: str, revision: str | None = None) -> Path:
    """Folder of the model's files; what an earlier run fetched where the hub cannot be reached.

    Raises:
        ModelError: the hub cannot be reached, or has no such model, and nothing was fetched before.
    """
    from httpx2 import HTTPError
    from huggingface_hub import snapshot_download

    try:
        _ask(name, revision)
    except ModelError:
        if folder := _fetched_before(name, revision):
            return folder
        raise
    try:
        return Path(
            snapshot_download(
                name, revision=revision, allow_patterns=_FILES, ignore_patterns=_OTHER_FORMATS, etag_timeout=_ANSWER_S
            )
        )
    except (HTTPError, OSError) as error:
        raise _not_had(name, error) from error


def _ask(name: str, revision: str | None) -> None:
    from httpx2 import HTTPError
    from huggingface_hub import HfApi

    try:
        HfApi().model_info(name, revision=revision, timeout=_ANSWER_S)
    except (HTTPError, OSError, ValueError) as error:
        raise _not_had(name, error) from error


def _fetched_before(name: str, revision: str | None) -> Path | None:
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, revision=revision, local_files_only=True))
    except (OSError, ValueError):
        return None


def _not_had(name: str, error: Exception) -> ModelError:
    reason = " ".join(str(error).split())[:200] or type(error).__name__
    return ModelError(
        f"embedding model {name!r} is no folder here and cannot be had from the hub ({reason}); set "
        "CLAUSEGRAPH_EMBEDDING_MODEL to a model's folder, or unset it for the packaged MiniLM"
    )
