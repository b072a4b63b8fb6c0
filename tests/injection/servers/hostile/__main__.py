"""The fake model server with its hostile modes; what ``FakeModelServer`` runs for the tests here."""

from __future__ import annotations

from clausegraph.app.dev.fake_llm.serve import main
from tests.injection.servers.hostile import register

register()
main()
