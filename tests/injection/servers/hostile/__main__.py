"""The fake model server with its hostile modes; what ``FakeModelServer`` runs for the tests here."""

from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from tests.harness.fake_llm.serve import main
from tests.injection.servers.hostile import register


class Wired(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's protocol, which shows the application its connection: some modes write past HTTP."""

    def connection_made(self, transport: Any) -> None:
        """Take the connection."""
        super().connection_made(transport)
        app = self.config.loaded_app

        async def wired(scope: dict[str, Any], receive: Any, send: Any) -> None:
            await app({**scope, "connection": self}, receive, send)

        self.app = wired


register()
main(Wired)
