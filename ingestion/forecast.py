"""What a run will cost, before anything is spent: exact where that can be counted, else as the corpus' last runs went.

Chunks and calls are exact. Prompt tokens are counted by our own tokenizer and scaled to what the server counted in
earlier runs; reply tokens follow from the tokens of the pages, texts from the passages to embed.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from clausegraph.core.embedding_texts import element_texts
from clausegraph.core.extraction import extraction_inputs
from clausegraph.core.hashing import LLMFingerprint, content_hash
from clausegraph.core.models.calls import served_model
from clausegraph.core.tokens import count_many
from clausegraph.indexes.corpora import DONE, FORECAST, list_epochs, list_runs
from clausegraph.indexes.derive import derive_rows, fact_vectors
from clausegraph.indexes.truth import StoredPage, missing_embeddings, open_texts
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.extracting import ChunkWork
from clausegraph.ingestion.report import Forecast, RunReport, report_from
from clausegraph.ingestion.tools import Tools

REPLY = 1.5  # tokens of a reply for each of its page, where no earlier reply tells
EMBED = "embed"  # task of the calls to a server that embeds
_LOOK, _RUNS = 100, 5  # runs that are looked at, and that are gone by
_SAMPLE, _SAMPLE_CHUNKS = 10, 40  # pages that the rules read where no run tells, and the chunks of one at most
_MILLION = 1_000_000

_Past = Sequence[tuple[RunReport, Forecast]]


def make_forecast(tools: Tools, corpus_id: int, pages: Mapping[str, StoredPage], work: ChunkWork) -> Forecast:
    """The forecast of a run that has read these pages and has these chunks; writes and sends nothing. There may be no
    such corpus yet: ``corpus_id`` is 0."""
    extractor, model = tools.extractor, tools.embedder.fingerprint
    made_with = f"{extractor.fingerprint} {model}"
    past = _past_runs(tools, corpus_id, made_with)
    chunks, name, at_once = sum(len(keys) for _, keys in work.missing), "", 1
    calls = prompt = page = 0  # calls, and our count of the tokens of prompts and of the pages in them
    if LLMFingerprint.parse(extractor.fingerprint):
        from clausegraph.ingestion.extract.llm.extractor import LLMExtractor  # only where a model is asked

        if isinstance(extractor, LLMExtractor):
            name, at_once = extractor.llm.fingerprint.model, extractor.options.at_once
            calls, prompt, page = extractor.plan_calls(work.inputs(work.missing))
    prompt_tokens, reply_tokens = _server_tokens(past, prompt, page)
    epochs = list_epochs(tools.ledger, corpus_id)
    others = set(open_texts(tools.ledger, corpus_id)) if epochs and epochs[0].model != model else set()
    found = _passages(pages.values())
    unknown = missing_embeddings(tools.ledger, corpus_id, [*found, *others], model)
    passages = [found[text] for text in unknown if text not in others]
    texts = len(unknown) - len(passages) + round(len(passages) * _texts_each(tools, pages, past))
    embed_tokens = round(texts * _ratio(count_many(passages), [len(passages)])) if served_model(model) else 0
    return Forecast(
        pages=len(pages),
        chunks=chunks,
        chunks_reused=len(work.known),
        texts=texts,
        calls=calls,
        prompt_tokens=prompt_tokens,
        reply_tokens=reply_tokens,
        embed_tokens=embed_tokens,
        money=_money(tools.prices, [(name, prompt_tokens, reply_tokens), (model, embed_tokens, 0)]),
        minutes=_minutes(past, (len(pages), chunks, texts), calls, at_once),
        runs=len(past),
        made_with=made_with,
        counted=(prompt, page),
        passages=0 if others else len(passages),
    )


def extraction_usage(report: RunReport) -> dict[str, float]:
    """What the extraction of a run used, over all its tasks: calls, cached, failed, tokens, money, seconds."""
    used: dict[str, float] = {}
    for task, values in report.usage.items():
        for name, value in values.items() if task != EMBED else ():
            used[name] = used.get(name, 0) + value
    return used


def _past_runs(tools: Tools, corpus_id: int, made_with: str) -> _Past:
    """The last runs of the corpus with the same models that left nothing undone, and their forecasts."""
    listed = list_runs(tools.ledger, corpus_id, _LOOK)
    ended: list[Any] = [row["report"] for row in listed if row["status"] == DONE and row["kind"] != FORECAST]
    reports = [report_from(one) for one in ended if (one.get("forecast") or {}).get("made_with") == made_with]
    return [(one, one.forecast) for one in reports if one.forecast and not one.failures][:_RUNS]


def _server_tokens(past: _Past, prompt: int, page: int) -> tuple[int, int]:
    """Prompt and reply tokens as the server will count them, for those that we count."""
    told = [(extraction_usage(report), was.counted) for report, was in past]
    told = [(used, was) for used, was in told if used.get("prompt_tokens") and not used["cached"]]
    each = _ratio((used["prompt_tokens"] for used, _ in told), (was[0] for _, was in told)) or 1.0
    reply = _ratio((used["output_tokens"] for used, _ in told), (was[1] for _, was in told)) or REPLY
    return round(prompt * each), round(page * reply)


def _passages(pages: Iterable[StoredPage]) -> dict[str, str]:
    """What is embedded of chunks and elements, by hash."""
    readings = (page.reading for page in pages)
    texts = (text for reading in readings for text in (*(one.text for one in reading.chunks), *element_texts(reading)))
    return {content_hash("text", text): text for text in texts}


def _texts_each(tools: Tools, pages: Mapping[str, StoredPage], past: _Past) -> float:
    """Texts embedded for each passage, those of rules and facts included: as it was, else as the rules read pages."""
    told = [(report.texts_embedded, was.passages) for report, was in past if was.passages]
    if told:
        return _ratio(*zip(*told, strict=True))
    rules, texts, passages = RuleExtractor(), 0, 0
    sample = list(pages.values())[:: max(1, len(pages) // _SAMPLE)][:_SAMPLE]
    for page in (page for page in sample if len(page.reading.chunks) <= _SAMPLE_CHUNKS):
        made = {one.key: rules.extract(one) for one, _ in extraction_inputs(page.reading)}
        rows = derive_rows(page.reading, made, rules.fingerprint, ruled=tools.read_rules(page.reading))
        texts += len({row.text_hash for row in (*rows.vectors, *fact_vectors(rows.supports, rows.texts))})
        passages += len(_passages([page]))
    return texts / passages if passages else 1.0


def _money(prices: Mapping[str, tuple[float, float]], used: Iterable[tuple[str, int, int]]) -> float | None:
    """The price of these models' prompt and reply tokens, None where one has no price."""
    needed = [(name.partition(":")[2], prompt, reply) for name, prompt, reply in used if prompt]
    if any(model not in prices for model, _, _ in needed):
        return None
    return sum(prompt * prices[name][0] + reply * prices[name][1] for name, prompt, reply in needed) / _MILLION


def _minutes(past: _Past, counts: tuple[int, int, int], calls: int, at_once: int) -> float | None:
    """How long so many pages, chunks and texts take at the pace of the last runs; calls wait for each other."""
    did = [(was.pages, report.chunks_extracted, report.texts_embedded) for report, was in past]
    took = [report.seconds | {"call": extraction_usage(report).get("seconds", 0.0)} for report, _ in past]
    stages = (("read", "plan", "publish"), () if calls else ("extract",), ("embed",))
    seconds = 0.0
    for of, names in enumerate(stages):
        spent = [one.get(name, 0.0) for one in took for name in names]
        seconds += counts[of] * _ratio(spent, (one[of] for one in did))
    each = _ratio((one["call"] for one in took), (extraction_usage(report).get("calls", 0) for report, _ in past))
    return (seconds + math.ceil(calls / at_once) * each) / 60 if past else None


def _ratio(above: Iterable[float], below: Iterable[float]) -> float:
    """Sum to sum; 0 where there is nothing below."""
    return sum(above) / total if (total := sum(below)) else 0.0
