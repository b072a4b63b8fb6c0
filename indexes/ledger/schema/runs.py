"""Runs and what they hold: leases, budgets, calls of models, work in steps."""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Float, ForeignKey, Index, Integer, String, Table, Text

from clausegraph.indexes.ledger.dialect import IDS_NEVER_REUSED
from clausegraph.indexes.ledger.schema.columns import corpus_id, metadata

runs = Table(
    "runs",
    metadata,
    Column("id", String(40), primary_key=True),
    corpus_id(),
    Column("kind", String(30), nullable=False),
    Column("source", Text),
    Column("started", Float, nullable=False),
    Column("ended", Float),
    Column("status", String(20), nullable=False),
    Column("report", Text),
)

run_leases = Table(
    "run_leases",
    metadata,
    Column("corpus_id", ForeignKey("corpora.id", ondelete="CASCADE"), primary_key=True),
    Column("run_id", String(40), nullable=False),
    Column("host", Text, nullable=False),
    Column("pid", Integer, nullable=False),
    Column("fence", BigInteger, nullable=False),
    Column("acquired", Float, nullable=False),
    Column("heartbeat", Float, nullable=False),
    Column("expires", Float, nullable=False),
)

budgets = Table(  # one row a run; every process of the run draws on it
    "budgets",
    metadata,
    Column("run_id", String(40), primary_key=True),
    corpus_id(),
    Column("limit_tokens", BigInteger),
    Column("limit_money", Float),
    Column("used_tokens", BigInteger, nullable=False, default=0),
    Column("used_money", Float, nullable=False, default=0.0),
    Column("reserved_tokens", BigInteger, nullable=False, default=0),
    Column("reserved_money", Float, nullable=False, default=0.0),
)

model_calls = Table(  # every attempt that reached a model's server, and every reply from the cache
    "model_calls",
    metadata,
    Column("id", Integer, primary_key=True),
    corpus_id(),
    Column("run_id", String(40), nullable=False),
    Column("task", Text, nullable=False),
    Column("prompt", Text, nullable=False),  # id of the prompt, task.vN
    Column("pages", Text, nullable=False),  # JSON list of page keys
    Column("model", Text, nullable=False),
    Column("outcome", String(20), nullable=False),  # ok, cached, or the name of the error
    Column("prompt_tokens", BigInteger),  # none: the server did not say
    Column("output_tokens", BigInteger),
    Column("money", Float, nullable=False),
    Column("seconds", Float, nullable=False),
    Column("at", Float, nullable=False),
    Index("model_calls_run", "corpus_id", "run_id"),
)

run_steps = Table(  # of a run in steps: what each left for the later ones, and for the report
    "run_steps",
    metadata,
    Column("run_id", String(40), primary_key=True),
    Column("step", String(20), primary_key=True),
    corpus_id(),
    Column("data", Text, nullable=False),  # canonical JSON
)

run_pages = Table(  # of a run in steps: the page versions it is to publish
    "run_pages",
    metadata,
    Column("run_id", String(40), primary_key=True),
    Column("uri", Text, primary_key=True),
    corpus_id(),
    Column("page_id", Integer, nullable=False),
    Column("page_version_id", Integer, nullable=False),
)

work_batches = Table(  # of a run in steps: chunks to extract, claimed by one worker at a time
    "work_batches",
    metadata,
    Column("id", Integer, primary_key=True),
    corpus_id(),
    Column("run_id", String(40), nullable=False),
    Column("chunks", Text, nullable=False),  # canonical JSON: [[uri, [input key, …]], …]
    Column("state", String(10), nullable=False),  # open, claimed, done
    Column("claim", String(40)),  # token of the claim: a worker that lost it finds another one here
    Column("host", Text),
    Column("pid", Integer),
    Column("expires", Float),
    Column("attempts", Integer, nullable=False, default=0),
    Column("result", Text),  # canonical JSON: what failed, and the seconds of work
    Index("work_batches_run", "run_id", "state"),
    **IDS_NEVER_REUSED,
)
