"""Content hashes, and fingerprints of what determines a language model's replies and extractions."""

from __future__ import annotations

import hashlib
import json
import re
from dataclasses import dataclass
from typing import Any


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces: equal values give equal text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def content_hash(*parts: str | bytes) -> str:
    """128-bit hex hash of the parts; the boundaries between parts count."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()[:32]


def fact_id(subject_key: str, relation: str, object_key: str, *qualifiers: str) -> str:
    """The identity of a fact within a corpus."""
    return content_hash("fact", subject_key, relation, object_key, *qualifiers)


STATES_RULES = "rules"  # begins the parser's version of an extractor whose model states the rules of a page
_LLM = re.compile(
    r"llm:(?P<prompt>[^|@]+)@(?P<digest>[^|@]+)"
    r"\|(?P<model>.+)\|t=(?P<temperature>[^|]+)\|max=(?P<max_output>\d+)\|json=(?P<json_mode>\w+)"
    r"\|(?P<parser>[^|]+)\|(?P<shape>[^|]+?)(?P<page>\|page)?",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class ModelFingerprint:
    """Everything that shapes a reply but the prompt. Equal fingerprints share cached replies.

    ``model`` is ``provider:model``.
    """

    model: str
    temperature: float
    max_output: int
    json_mode: str

    def __str__(self) -> str:
        return f"{self.model}|t={self.temperature:g}|max={self.max_output}|json={self.json_mode}"


@dataclass(frozen=True, slots=True)
class LLMFingerprint:
    """An extractor that asks a language model.

    ``prompt`` and ``digest`` name the prompt's text (``task.vN`` and a hash), ``parser`` the version of what reads the
    replies, ``shape`` is a hash of examples, types guide and limits. With ``page_scoped`` chunks of a page are read
    together, and a chunk's statements may cite what other chunks of the page set for it (decision 0024): what one page
    makes the model say must not be stored for an equal chunk of another (decision 0007).
    """

    prompt: str
    digest: str
    model: ModelFingerprint
    parser: str
    shape: str
    page_scoped: bool

    @property
    def states_rules(self) -> bool:
        """Whether the model states the rules of a page; else they are read without it."""
        return self.parser.startswith(STATES_RULES)

    def __str__(self) -> str:
        page = "|page" if self.page_scoped else ""
        return f"llm:{self.prompt}@{self.digest}|{self.model}|{self.parser}|{self.shape}{page}"

    @classmethod
    def parse(cls, text: str) -> LLMFingerprint | None:
        """The fingerprint of this text; none for an extractor that is no language model."""
        found = _LLM.fullmatch(text)
        if found is None:
            return None
        model = ModelFingerprint(
            found["model"], float(found["temperature"]), int(found["max_output"]), found["json_mode"]
        )
        page = found["page"] is not None
        return cls(found["prompt"], found["digest"], model, found["parser"], found["shape"], page)
