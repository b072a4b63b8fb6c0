"""What one server process holds: one workspace, its threads, and who may ask."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from starlette.requests import HTTPConnection

from clausegraph.app.access.audit import AuditLog
from clausegraph.app.access.sessions import Sessions
from clausegraph.app.access.sign_in import SignIn, sign_in_of
from clausegraph.app.access.tokens import Tokens
from clausegraph.app.api.metrics import Metrics
from clausegraph.app.api.pool import WorkPool
from clausegraph.app.api.rate import RateLimit
from clausegraph.app.services.evaluations import Evaluations
from clausegraph.app.services.kept import KeptAnswers

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace

_READERS, _READS_WAITING = 8, 64


@dataclass(slots=True)
class Served:
    """Shared by all requests. ``work`` runs what embeds or asks a model, ``reads`` what only looks things up."""

    workspace: Workspace
    tokens: Tokens
    sessions: Sessions
    audit: AuditLog
    work: WorkPool
    reads: WorkPool
    evaluations: Evaluations
    kept: KeptAnswers
    rate: RateLimit
    sign_in: SignIn | None = None
    metrics: Metrics = field(default_factory=Metrics)

    def close(self) -> None:
        """End: answers in work are finished first."""
        self.work.close()
        self.reads.close()
        self.workspace.close()


def serve_workspace(workspace: Workspace) -> Served:
    """What a server of a workspace holds; it closes the workspace at its end.

    Raises:
        SettingsError: those of the sign-in do not fit together.
    """
    settings = workspace.settings
    tokens = Tokens(settings.home)
    made = Served(
        workspace=workspace,
        tokens=tokens,
        sessions=Sessions(tokens),
        audit=AuditLog(settings.home),
        work=WorkPool("work", settings.serve_workers, 4 * settings.serve_workers),
        reads=WorkPool("reads", _READERS, _READS_WAITING),
        evaluations=Evaluations(settings),
        kept=KeptAnswers(workspace),
        rate=RateLimit(settings.serve_rate),
        sign_in=sign_in_of(settings),
    )
    made.kept.forget_strangers(one.id for one in tokens.all())
    made.metrics.watch(made.work, made.reads)
    return made


def request_id(connection: HTTPConnection) -> str:
    """The id under which the logs have a request."""
    return str(connection.scope["state"]["request"])
