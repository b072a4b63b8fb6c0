"""What responses about decisions look like, for the OpenAPI document; a test holds the services to this."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, Field

State = Literal["proposed", "accepted", "rejected"]


class NameDecision(BaseModel):
    """A name is taken for an entity, or that is proposed or rejected; times are seconds since 1970."""

    id: int
    name: str
    entity: str
    state: State
    score: float
    evidence: dict[str, Any]
    decided_by: str | None
    decided: float | None
    created: float


class ListedDecision(NameDecision):
    """A decision, and the epoch since which it is in force; null where it waits, or is none to be in force."""

    in_force_since: int | None


class ListedDefinition(BaseModel):
    """What pages define, and the epoch since which it is in force."""

    name: str
    entity: str
    pages: list[str]
    in_force_since: int | None


class PendingName(BaseModel):
    """What a name stands for now, and from the next publish on."""

    name: str
    before: str
    after: str


class HidingDecision(BaseModel):
    """A statement that is hidden: where it stands, why it is wrong, and whether that is in force."""

    id: int
    anchor: str
    reason: str
    decided_by: str
    decided: float
    page: str
    words: str | None = Field(description="The statement; null where its page does not state it now.")
    state: Literal["hidden", "waits", "nothing to hide"]
    since: int | None = Field(description="The epoch since which it is hidden.")


class HideReply(HidingDecision):
    """The decision that hides a statement; `new` is false for one that was made before."""

    new: bool


class ReturningStatement(BaseModel):
    """A statement that the next publish shows again."""

    page: str
    words: str


class DecisionsReply(BaseModel):
    """Every decision of a corpus, and what waits for the next publish."""

    corpus: str
    published: int
    newest: int
    decisions: list[ListedDecision]
    defined: list[ListedDefinition]
    pending: list[PendingName]
    hidden: list[HidingDecision]
    returning: list[ReturningStatement]


class SettledReply(BaseModel):
    """The decision as it is now, or as it was where it is removed."""

    decision: NameDecision
    now: Literal["proposed", "accepted", "rejected", "removed"]
