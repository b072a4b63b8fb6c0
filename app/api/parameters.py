"""What requests are made of: paths, queries and bodies."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Path, Query
from pydantic import BaseModel, ConfigDict, Field

from clausegraph.core.inquiry import MAX_CHARACTERS
from clausegraph.indexes.hidden import LONGEST_REASON

_LONGEST = 500
_LONGEST_ADDRESS = 2000
MOST_PAGES, MOST_ADDRESSES = 100, 20  # of a question
ADDRESS = r"^https?://[^\s/]\S*$"

PageAddress = Annotated[str, Field(max_length=_LONGEST_ADDRESS, pattern=ADDRESS)]
CorpusPath = Annotated[str, Path(min_length=1, max_length=_LONGEST, description="Name of the corpus.")]
EpochQuery = Annotated[
    int | None, Query(alias="epoch", ge=1, le=10**15, description="A retained epoch; none: the published one.")
]
EpochNumber = Annotated[int | None, Query(ge=1, le=10**15)]  # of one of two epochs that are compared


class QuestionBody(BaseModel):
    """A question, and who asks it."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(min_length=1, max_length=MAX_CHARACTERS)
    scenario: str = Field(default="", max_length=MAX_CHARACTERS, description="Who asks, in plain words.")


class AnswerBody(QuestionBody):
    """A question to be answered."""

    assumptions: dict[str, Literal["met", "unmet", "open"]] = Field(
        default_factory=dict,
        max_length=100,
        description="What is to be taken for granted, by the words of a condition of the answer.",
    )
    engine: str | None = Field(default=None, max_length=100, description="What answers; none: that of the settings.")
    trace: bool = Field(default=False, description="Whether the answer has the engine's steps.")


class SentPageBody(BaseModel):
    """A page that is sent with a question."""

    model_config = ConfigDict(extra="forbid")

    url: PageAddress = Field(description="By which it is cited.")
    html: str = Field(description="The whole page.")
    name: str = Field(default="", max_length=_LONGEST, description="As a search calls it; none: its own title.")
    snippet: str = Field(default="", max_length=MAX_CHARACTERS, description="What a search shows of it.")
    modified: str = Field(default="", max_length=100, description="When it was last changed, in any form.")


class WebQuestionBody(BaseModel):
    """A question, and the pages it is to be answered from."""

    model_config = ConfigDict(extra="forbid")

    question: str = Field(min_length=1, max_length=MAX_CHARACTERS)
    pages: list[SentPageBody] = Field(default_factory=list, max_length=MOST_PAGES)
    addresses: list[PageAddress] = Field(
        default_factory=list,
        max_length=MOST_ADDRESSES,
        description="Of one page each, fetched if the server may.",
    )
    at: str | None = Field(
        default=None, max_length=100, description="When it is asked, with the zone: 2024-03-05T10:00-08:00; none: now."
    )
    trace: bool = Field(default=False, description="Whether the answer has the engine's steps.")


class PassagesBody(QuestionBody):
    """A question whose passages are wanted."""

    retriever: str = Field(default="hybrid", max_length=100)
    budget: int | None = Field(default=None, ge=1, le=1_000_000, description="Word pieces; none: as the settings say.")
    limit: int = Field(default=20, ge=1, le=1000)


class RollbackBody(BaseModel):
    """The epoch that readers are to get."""

    model_config = ConfigDict(extra="forbid")

    epoch: int = Field(ge=1, le=10**15)


class MergeBody(BaseModel):
    """Two names of one entity, as pages write them."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=_LONGEST, description="The name that is taken for the other.")
    entity: str = Field(min_length=1, max_length=_LONGEST)


class SettleBody(BaseModel):
    """What a decision about two names is to be."""

    model_config = ConfigDict(extra="forbid")

    state: Literal["accepted", "rejected", "proposed"] = Field(description="proposed: as if nobody had decided.")


class DenyBody(BaseModel):
    """A name that is not what pages define."""

    model_config = ConfigDict(extra="forbid")

    name: str = Field(min_length=1, max_length=_LONGEST)


class ReviewBody(BaseModel):
    """Which proposals are wanted."""

    model_config = ConfigDict(extra="forbid")

    type: str | None = Field(default=None, min_length=1, max_length=_LONGEST, description="Of entities of this type.")
    limit: int = Field(default=50, ge=1, le=1000)


class HideBody(BaseModel):
    """Why a statement is wrong."""

    model_config = ConfigDict(extra="forbid")

    reason: str = Field(min_length=1, max_length=LONGEST_REASON)


AnswerPath = Annotated[str, Path(pattern="^[0-9a-f]{16}$", description="Its id.")]
DecisionPath = Annotated[int, Path(ge=1, le=10**15, description="Number of the decision.")]
StatementPath = Annotated[str, Path(pattern="^[0-9a-f]{4,64}$", description="Its id, or how only its id begins.")]
LimitQuery = Annotated[int, Query(ge=1, le=200, description="Items at most.")]
CursorQuery = Annotated[str | None, Query(max_length=8000, description="`next` of the part before.")]
NameQuery = Annotated[str, Query(min_length=1, max_length=2000)]
MaybeName = Annotated[str | None, Query(min_length=1, max_length=2000)]
