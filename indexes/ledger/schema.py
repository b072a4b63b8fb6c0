"""The ledger's tables, as the newest migration leaves them; a change here is a migration in ``migrations/versions``.

An epoch interval is ``[since, until)``; an open row has ``until = OPEN``. A row is visible at epoch e if and
only if ``since <= e < until``. Rows of an epoch that was frozen but not flipped have ``since = newest + 1``
(or ``until = newest + 1``) and so are invisible to every reader.

Columns are given in words: ``name:type``, ``?`` where there may be none, ``=0`` where that is what a new row has; a
name alone is a text. ``id`` tells a row from the others of its table, ``corpus_id``, ``source_id`` and ``page_id`` are
what it belongs to and goes with, ``since until`` its interval.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    ColumnElement,
    Float,
    ForeignKey,
    Index,
    Integer,
    Join,
    LargeBinary,
    MetaData,
    Table,
    UniqueConstraint,
    and_,
    select,
)

from clausegraph.indexes.ledger.cells import check_cells
from clausegraph.indexes.ledger.dialect import (
    IDS_NEVER_REUSED,
    ROWS_BY_KEY,
    id_type,
    index_of_text,
    index_where,
    text_type,
)

OPEN = 2**63 - 1  # until, of a row that no epoch has closed

metadata = MetaData()
_TYPES: dict[str, Any] = {
    "text": text_type(), "id": id_type(), "int": Integer, "big": BigInteger, "float": Float, "bytes": LargeBinary,
}  # fmt: skip
_OWNERS = {
    "corpus_id": "corpora.id", "source_id": "sources.id", "page_id": "pages.id", "version_id": "page_versions.id",
    "watch_id": "watches.id", "one_id": "assertions.id", "other_id": "assertions.id",
}  # fmt: skip


def _column(word: str, *, primary: bool = False) -> Column[Any]:
    word, _, default = word.partition("=")
    name, _, kind = word.rstrip("?").partition(":")
    more: dict[str, Any] = {"default": 0} if default else {}
    more |= {"primary_key": True} if primary or name == "id" else {"nullable": word.endswith("?")}
    if name in _OWNERS and not kind:
        return Column(name, ForeignKey(_OWNERS[name], ondelete="CASCADE"), **more)
    if name == "page_version_id" and not kind:
        return Column(name, ForeignKey("page_versions.id"), **more)
    if not kind:
        kind = {"id": "id", "since": "big", "until": "big"}.get(name, "text")
    return Column(name, text_type(int(kind)) if kind.isdigit() else _TYPES[kind], **more)


def _table(
    name: str, columns: str, *more: Any, key: str = "", unique: str = "", keep_ids: bool = False, **options: Any
) -> Table:
    """A table; ``key`` are the columns of a primary key that is no ``id``, with ``keep_ids`` no id comes back."""
    made = [_column(word, primary=word.partition(":")[0] in key.split()) for word in columns.split()]
    rules = [UniqueConstraint(*unique.split())] if unique else []
    return Table(name, metadata, *made, *rules, *more, **(IDS_NEVER_REUSED if keep_ids else {}), **options)


# ``newest`` is the highest epoch ever flipped, ``published`` the one readers get.
corpora = _table(
    "corpora", "id name:200 settings newest:big=0 published:big=0 created:float", unique="name", keep_ids=True
)
sources = _table("sources", "id corpus_id name:500 kind:50 location", unique="corpus_id name")
pages = _table("pages", "id corpus_id source_id uri", unique="source_id uri", keep_ids=True)
blobs = _table("blobs", "corpus_id hash:64 data:bytes", unique="corpus_id hash")

# ``version_key`` hashes raw bytes, stated title and url, and pipeline: the fingerprints of reader and chunker.
# ``title_key``: the title that its reader gave it, as ``truth.title_key``.
page_versions = _table(
    "page_versions",
    "id corpus_id page_id version_key:64 raw_hash:64 content_type:100 title? title_key url? pipeline fetched:float "
    "etag? last_modified? reading:bytes",
    unique="page_id version_key",
    keep_ids=True,
)

# The words of a version, and the keys of its chunks as JSON (``indexes/words.py``); of each term in a block of versions
# where it is (``indexes/postings.py``). An epoch sees what is of the versions that it sees.
page_words = _table("page_words", "version_id corpus_id chunk_keys words:bytes", key="version_id")
postings = _table("postings", "corpus_id block:big term entries:bytes", key="corpus_id block term", **ROWS_BY_KEY)
members = _table(
    "members",
    "id corpus_id page_id page_version_id extractor projection since until",
    Index("members_open", "corpus_id", "until"),
    Index("members_version", "page_version_id"),
)

# Of a source that is fetched, the crawl that goes on, or the last one. ``heard``: its last reply, its beginning before
# there is one. While it has not ``ended``, what was asked under its number is not asked again.
crawls = _table("crawls", "source_id corpus_id number:big heard:float ended:float?", key="source_id")

# Every address of such a source, what it answered last, and what it had when it last had something. ``crawl``: in which
# it was asked last; ``target``: where it redirects to, ``permanent`` for good; ``uri``: the page it is an address of;
# ``raw_hash``: empty where it never had a page; ``stated``: when it changed, as a sitemap or feed says; ``canonical``:
# what the page calls its own address; ``sketch``: MinHash of its words; ``failures``: in a row.
fetches = _table(
    "fetches",
    "id corpus_id source_id address crawl:big outcome:20 status:int? reason target permanent:int uri raw_hash:64 "
    "content_type:200 etag last_modified stated canonical text_hash:64 sketch:bytes fetched:float failures:int",
    unique="source_id address",
)
extractions = _table(
    "extractions", "corpus_id input_key:64 extractor data:bytes created:float", unique="corpus_id input_key extractor"
)
embeddings = _table(  # data: float32, little-endian
    "embeddings", "corpus_id text_hash:64 model data:bytes created:float", unique="corpus_id text_hash model"
)

FREEZING = "freezing"  # its rows are being written, or taken back: some may be there and others not
FROZEN = "frozen"  # all of its rows are there, and no reader sees it
FLIPPED = "flipped"  # it is, or was, what readers get
epochs = _table(
    "epochs", "corpus_id number:big state:10 model run_id:40 created:float summary", unique="corpus_id number"
)

# Two names, one entity (both keys): proposed, then accepted or rejected by somebody.
decisions = _table(
    "decisions",
    "id corpus_id name entity state:10 score:float evidence decided_by? decided:float? created:float",
    unique="corpus_id name entity",
    keep_ids=True,
)

# A statement of a page that somebody decided to be wrong. ``anchor``: of the first element that states it, empty where
# it names none; ``claim``: a hash, so that no text of a page outlives it here.
hidden_statements = _table(
    "hidden_statements",
    "id corpus_id source:500 uri anchor claim:64 reason decided_by decided:float",
    unique="corpus_id source uri anchor claim",
    keep_ids=True,
)

# What somebody says of an answer. ``key``: hash of question, scenario and who judged; ``expected``: what is right, in
# that person's words; ``answer``: status and places as JSON, no text of a page.
judged_answers = _table(
    "judged_answers",
    "id corpus_id key:64 epoch:big question scenario verdict:10 expected answer judged_by created:float",
    unique="corpus_id key",
    keep_ids=True,
)
segments = _table(  # since: the first epoch that lists it
    "segments", "id corpus_id model kind:10 file checksum:64 since", Index("segments_of", "corpus_id", "model", "kind")
)
identity = _table("identity", "id:40")  # one row: what makes this ledger this one, also when it is copied or restored
entity_names = _table(  # the accepted decisions, as each epoch applied them
    "entity_names", "id corpus_id name entity since until", Index("entity_names_open", "corpus_id", "until")
)
chunks = _table(
    "chunks",
    "id corpus_id page_id key content_hash:64 input_key:64 since until",
    Index("chunks_page", "page_id", "until"),
    Index("chunks_until", "corpus_id", "until"),
)

_SUPPORT = (
    "id corpus_id page_id chunk_key fact_id:64 subject relation object content_key:64 extractor statement since until"
)
# As a literal in the query, too, or no planner can tell that the index holds all that is asked for.
_DEFINITIONS = "definitions:1"
_DEFINED = f"extractor = '{_DEFINITIONS}'"
supports = _table(
    "supports",
    _SUPPORT,
    Index("supports_page", "page_id", "until"),
    Index("supports_until", "corpus_id", "until"),
    Index("supports_fact", "corpus_id", "fact_id"),
    *index_of_text("supports_subject", "corpus_id", "subject"),
    *index_of_text("supports_object", "corpus_id", "object"),
    index_where(_DEFINED, "supports_definitions", "corpus_id", "until"),
)
IS_FACT = supports.c.extractor != _DEFINITIONS  # and no other name of an entity
hidden_supports = _table(  # would be supports if nobody had decided to hide what they state; under the names as written
    "hidden_supports",
    _SUPPORT,
    Index("hidden_supports_page", "page_id", "until"),
    Index("hidden_supports_until", "corpus_id", "until"),
)
rules = _table(
    "rules",
    "id corpus_id page_id chunk_key content_key:64 extractor kind:20 rule since until",
    Index("rules_page", "page_id", "until"),
    Index("rules_until", "corpus_id", "until"),
)
rule_roles = _table(  # ``rule_key``: the content key of the rule; ``entity``: as the epoch takes the name
    "rule_roles",
    "id corpus_id page_id rule_key:64 position:int role:20 entity since until",
    Index("rule_roles_page", "page_id", "until"),
    Index("rule_roles_until", "corpus_id", "until"),
    *index_of_text("rule_roles_entity", "corpus_id", "entity"),
)

# What a page says that another may contradict, and the pairs that do, which go with either. ``first``, ``second``:
# hashes of what it is found by (``contradictions/stored.py``).
assertions = _table(
    "assertions",
    "id corpus_id page_id content_key:64 first:16 second:16 assertion since until",
    Index("assertions_page", "page_id", "until"),
    Index("assertions_until", "corpus_id", "until"),
    Index("assertions_since", "corpus_id", "since"),
    Index("assertions_first", "corpus_id", "first"),
    Index("assertions_second", "corpus_id", "second"),
)
conflicts = _table(
    "conflicts",
    "corpus_id one_id other_id kind:10",
    Index("conflicts_of", "corpus_id"),
    Index("conflicts_other", "other_id"),
    key="one_id other_id",
)
entity_tokens = _table("entity_tokens", "corpus_id token entity", key="corpus_id token entity")
vectors = _table(  # its id is that in the FAISS segments; kind: one of VECTOR_KINDS
    "vectors",
    "id corpus_id kind:10 page_id? ref text_hash:64 model since until",
    Index("vectors_page", "page_id", "until"),
    Index("vectors_until", "corpus_id", "until"),
    Index("vectors_ref", "corpus_id", "kind", "ref"),
    Index("vectors_text", "corpus_id", "text_hash"),
    Index("vectors_since", "corpus_id", "kind", "since"),
    keep_ids=True,
)

# ``progress``: how far it is, as JSON. ``job``: of one that a server was asked for (``jobs.py``), by whom and for what.
runs = _table(
    "runs",
    "id:40 corpus_id kind:30 source? started:float ended:float? status:20 report? progress? cancelled_by? job?",
    Index("runs_started", "corpus_id", "started", "id"),
)
run_leases = _table(
    "run_leases",
    "corpus_id run_id:40 host pid:int fence:big acquired:float heartbeat:float expires:float",
    key="corpus_id",
)

# Who reads which epoch, of a database that several machines share (``readers.py``); SQLite's readers lock files.
reader_leases = _table("reader_leases", "id:40 corpus_id epoch:big host pid:int expires:float", key="id")
budgets = _table(  # one row a run; every process of the run draws on it
    "budgets",
    "run_id:40 corpus_id limit_tokens:big? limit_money:float? used_tokens:big=0 used_money:float=0 "
    "reserved_tokens:big=0 reserved_money:float=0",
    Index("budgets_of", "corpus_id"),
    key="run_id",
)

# Every attempt that reached a model's server, and every reply from the cache. ``prompt``: task.vN; ``pages``: JSON list
# of page keys; ``outcome``: ok, cached, or the name of the error; no tokens where the server did not say.
model_calls = _table(
    "model_calls",
    "id corpus_id run_id:40 task prompt pages model outcome:20 prompt_tokens:big? output_tokens:big? money:float "
    "seconds:float at:float",
    Index("model_calls_run", "corpus_id", "run_id"),
)

# Of a run in steps: what each left for the later ones (canonical JSON), and the page versions it is to publish.
run_steps = _table("run_steps", "run_id:40 step:20 corpus_id data", key="run_id step")
run_pages = _table("run_pages", "run_id:40 uri corpus_id page_id:id page_version_id:id", key="run_id uri")

# And chunks to extract ([[uri, [input key, …]], …]), claimed by one worker at a time: state open, claimed or done.
# ``claim`` is a token: a worker that lost its claim finds another one here. ``result``: what failed, and the seconds.
work_batches = _table(
    "work_batches",
    "id corpus_id run_id:40 chunks state:10 claim:40? host? pid:int? expires:float? attempts:int=0 result?",
    Index("work_batches_run", "run_id", "state"),
    keep_ids=True,
)

# Questions that are asked again where a publish touches what their answer rests on. ``answer``: what was answered last,
# and is what ``epoch`` says; ``approved``: what ``approved_by`` approved where that is another answer by now, of
# ``approved_epoch``. Both quote pages, and go with their epochs. ``key``: a hash of question and scenario.
watches = _table(
    "watches",
    "id corpus_id key:64 question scenario added_by created:float epoch:big=0 answer:bytes? approved:bytes? "
    "approved_by? approved_epoch:big=0",
    unique="corpus_id key",
    keep_ids=True,
)
# An answer of epoch ``since`` that became another one: ``change`` says how, and quotes pages of both.
# ``unsent``: hashes of the addresses that it is still to be reported to, as JSON.
watch_changes = _table(
    "watch_changes", "id corpus_id watch_id since epoch:big created:float change:bytes unsent", keep_ids=True
)

# What a prepared epoch must answer before readers see it: ``questions`` as JSON lines, and what share of them (0 to 1).
# ``missed``: keep (the last epoch stays) or flag.
gates = _table("gates", "corpus_id questions:bytes floor:float missed:10 set_by created:float", key="corpus_id")

# What must not come back. ``key``: a hash of source and uri of a page, or of a source; ``certificate``: what went.
forgotten = _table(
    "forgotten",
    "id corpus_id key:64 forgotten_by reason created:float certificate",
    unique="corpus_id key",
    keep_ids=True,
)
backups = _table("backups", "id corpus_id place epoch:big created:float")

# What machines share that have their ledger in a server; with a ledger in a file it lies in files beside it, and these
# are empty (decision 0070). ``owner``: id of a token or a person; ``record``, ``deed``: JSON.
kept_answers = _table(
    "kept_answers",
    "corpus_id owner name:16 epoch:big asked:float data:bytes",
    Index("kept_answers_owner", "owner"),
    key="corpus_id owner name",
)
replies = _table("replies", "key:64 used:float data:bytes", Index("replies_used", "used"), key="key")
access_tokens = _table("access_tokens", "id record")
deeds = _table("deeds", "id at:float deed", keep_ids=True)

check_cells(metadata)

VECTOR_KINDS = ("chunk", "element", "fact", "rule")  # what is embedded of a page
VERSIONED = (  # with an interval
    members, entity_names, chunks, supports, hidden_supports, rules, rule_roles, assertions, vectors,
)  # fmt: skip


def seen_at(table: Table, epoch: ColumnElement[int] | int) -> ColumnElement[bool]:
    """Whether a row is visible at an epoch."""
    return and_(table.c.since <= epoch, table.c.until > epoch)


def in_newest(table: Table) -> ColumnElement[bool]:
    """Whether a row belongs to the newest state, for whoever looks without the corpus' lease: an epoch that is being
    written has closed rows and opened others that are not part of it."""
    newest = select(corpora.c.newest).where(corpora.c.id == table.c.corpus_id).correlate(table).scalar_subquery()
    return seen_at(table, newest)


def on_pages(table: Table) -> Join:
    """The rows of a table with their pages and these pages' sources."""
    return table.join(pages, pages.c.id == table.c.page_id).join(sources, sources.c.id == pages.c.source_id)
