"""The extractor that asks a language model: pages in, numbered calls out, rules or triplets back."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from clausegraph.core.errors import (
    BudgetExceeded,
    ModelError,
    ModelRefused,
    ModelUnavailable,
    PromptError,
    UnusableReply,
)
from clausegraph.core.extraction import Extracted, Extraction, ExtractionInput, PageInputs, Reject
from clausegraph.core.hashing import STATES_RULES, LLMFingerprint, content_hash
from clausegraph.core.models.calls import CallLabels
from clausegraph.core.ontology import Ontology, policy_ontology
from clausegraph.core.prompts import Prompt, PromptMessage, shipped_examples
from clausegraph.core.tokens import count_tokens
from clausegraph.ingestion.extract.llm.lines import parse_lines
from clausegraph.ingestion.extract.llm.numbering import Call, grouped, number_call, page_text, render_call
from clausegraph.ingestion.extract.llm.rules_reply import parse_rules

if TYPE_CHECKING:
    from clausegraph.core.models.guard import ChatOutcome, ChatRequest, GuardedLLM

# Refused for what we are or where we go, not for what we asked: no other call will succeed, where none did before
_NO_USE = {401, 402, 403, 404, 301, 302, 303, 307, 308}
_IN_A_ROW = 8  # calls that found no server, each after all its attempts, before the rest is left undone


@dataclass(frozen=True, slots=True)
class Task:
    """How a prompt's replies are read. ``parser`` names the parser's version: a change is another extraction.

    ``parse`` gives one extraction for each chunk of a call, none for what a cut-off reply does not cover; with
    ``whole_pages`` a page's chunks share calls.
    """

    parser: str
    parse: Callable[..., Sequence[Extraction | None]]  # text, call, cut_off=
    whole_pages: bool


_BY_OUTPUT = (  # what a header's output begins with
    ("one rule per line", Task(f"{STATES_RULES}:2", parse_rules, whole_pages=True)),
    ("one (subject, predicate, object) per line", Task("lines:3", parse_lines, whole_pages=False)),
)


def task_of(prompt: Prompt) -> Task:
    """The task of an extraction prompt, by its declared output."""
    for beginning, task in _BY_OUTPUT:
        if prompt.output.startswith(beginning):
            return task
    known = ", ".join(repr(beginning) for beginning, _ in _BY_OUTPUT)
    raise PromptError(
        f"prompt {prompt.id} ({prompt.path}) cannot be read by an extractor: its header's output must begin with one "
        f"of {known}"
    )


@dataclass(frozen=True, slots=True)
class LLMOptions:
    """How triplets are asked for; see the settings of the same names."""

    examples: str | None = None  # none: those that come with the prompt
    ontology: Ontology = field(default_factory=policy_ontology)
    call_tokens: int = 5000
    at_once: int = 16


@dataclass(frozen=True, slots=True)
class _Job:
    """A call to be made."""

    page: str
    call: Call


class LLMExtractor:
    """Extracts the chunks of many pages with many calls at once."""

    def __init__(self, llm: GuardedLLM, prompt: Prompt, options: LLMOptions = LLMOptions()) -> None:
        self.llm, self.prompt, self.options = llm, prompt, options
        self.task: Task = task_of(prompt)
        self.examples = shipped_examples(prompt) if options.examples is None else options.examples

    @property
    def fingerprint(self) -> str:
        """Prompt (id and digest), model and parameters, what else shapes the prompt, and the parser's version."""
        prompt, task, options = self.prompt, self.task, self.options
        ontology = [options.ontology.guide] if "ontology" in prompt.inputs else []
        shape = content_hash("llm-extraction", self.examples, *ontology)[:12]
        return str(LLMFingerprint(prompt.id, prompt.digest, self.llm.fingerprint, task.parser, shape, task.whole_pages))

    def extract(self, chunk_input: ExtractionInput) -> Extraction:
        """The statements of one chunk."""
        (result,) = self.extract_pages([PageInputs("", (chunk_input,))])
        if result.extraction is None:
            raise UnusableReply(result.problem)
        return result.extraction

    def extract_pages(self, pages: Iterable[PageInputs]) -> Iterator[Extracted]:
        """Yield what became of each input, as the replies come. Closing the generator cancels what is in flight."""
        from clausegraph.core.models.guard import chat_all

        work = _Work(self, pages)
        with closing(chat_all(self.llm, work.take, self.options.at_once)) as outcomes:
            for outcome in outcomes:
                yield from work.settle(outcome)
        yield from work.left_over()

    def plan_calls(self, pages: Iterable[PageInputs]) -> tuple[int, int, int]:
        """Calls that ``extract_pages`` would send, tokens of their prompts and of the pages in these; sends nothing.

        Tokens are those of ``core.tokens``. What a reply leaves out is asked again, which is not among the calls.
        """
        calls = list(self.jobs(pages))
        texts = (message.content for job in calls for message in self.render(job.call))
        page_tokens = sum(count_tokens(page_text(job.call)) for job in calls)
        return len(calls), sum(map(count_tokens, texts)), page_tokens

    def jobs(self, pages: Iterable[PageInputs]) -> Iterator[_Job]:
        """The calls for these inputs, as the extraction begins."""
        limit = self.options.call_tokens if self.task.whole_pages else 0
        return (_Job(page.page, number_call(inputs)) for page in pages for inputs in grouped(page.inputs, limit))

    def render(self, call: Call) -> list[PromptMessage]:
        """The messages of a call."""
        return render_call(self.prompt, call, examples=self.examples, ontology=self.options.ontology.guide)


class _Work:
    """What is still to be asked, and why the rest is not."""

    def __init__(self, extractor: LLMExtractor, pages: Iterable[PageInputs]) -> None:
        self._of = extractor
        self._jobs = extractor.jobs(pages)
        self._again: deque[_Job] = deque()
        self._unavailable = 0
        self._answered = False  # whether the server has answered any call
        self._turned_away: list[tuple[_Job, ModelError]] = []  # refused for what we are, while it had answered none
        self._stopped = ""

    def take(self) -> ChatRequest[_Job] | None:
        """The next call, or none for now."""
        if self._stopped or self._turned_away:
            return None
        job = self._again.popleft() if self._again else next(self._jobs, None)
        return None if job is None else self._request(job)

    def _request(self, job: _Job) -> ChatRequest[_Job]:
        from llama_index.core.base.llms.types import ChatMessage

        from clausegraph.core.models.guard import ChatRequest

        prompt, rendered = self._of.prompt, self._of.render(job.call)
        messages = tuple(ChatMessage(role=message.role, content=message.content) for message in rendered)
        labels = CallLabels(prompt.task, prompt.id, (job.page,))
        return ChatRequest(job, messages, {}, labels)

    def settle(self, outcome: ChatOutcome[_Job]) -> Iterator[Extracted]:
        """What an outcome yields; chunks to be asked again go back to the work."""
        job = outcome.request.job
        if outcome.error is not None:
            yield from self._failed(job, outcome.error)
            return
        self._unavailable, self._answered = 0, True
        turned_away, self._turned_away = self._turned_away, []  # they failed for themselves alone
        for one, error in turned_away:
            yield from self._failed(one, error)
        try:
            found = self._read(outcome)
        except UnusableReply as error:
            self._of.llm.forget(outcome.request.messages, **outcome.request.options)
            yield from self._failed(job, error)
            return
        rest = [chunk_input for chunk_input, made in zip(job.call.inputs, found, strict=True) if made is None]
        self._ask_again(job, rest, split=len(rest) == len(found))
        for chunk_input, made in zip(job.call.inputs, found, strict=True):
            if made is not None:
                yield Extracted(chunk_input.key, made)

    def _read(self, outcome: ChatOutcome[_Job]) -> list[Extraction | None]:
        """One extraction per chunk of the call; none for chunks that a cut-off reply does not cover."""
        from clausegraph.core.models.replies import finish_reason

        assert outcome.response is not None
        job, text = outcome.request.job, outcome.response.message.content or ""
        alone = len(job.call.inputs) == 1
        cut_off = finish_reason(outcome.response) == "length"
        found = list(self._of.task.parse(text, job.call, cut_off=cut_off and not alone))
        if cut_off and alone and found[0] is not None:  # a second call would be cut at the same place
            title = job.call.inputs[0].title
            lost = Reject(title, "the reply was cut off at its longest; what of it is complete is kept")
            return [replace(found[0], rejects=(*found[0].rejects, lost))]
        return found

    def _failed(self, job: _Job, error: ModelError) -> Iterator[Extracted]:
        """Split a call the model could not do; give up on what cannot be split."""
        no_use = isinstance(error, ModelRefused) and error.status in _NO_USE
        if no_use and not self._answered:  # what is in flight may still be answered
            self._turned_away.append((job, error))
            return
        if isinstance(error, BudgetExceeded):
            self._stopped = self._stopped or str(error)
        if no_use or isinstance(error, ModelUnavailable):
            self._unavailable += 1
            if self._unavailable >= _IN_A_ROW:
                self._stopped = f"not asked: {self._unavailable} calls in a row had no answer, the last: {error}"
        divisible = isinstance(error, UnusableReply | ModelRefused) and not no_use
        if divisible and len(job.call.inputs) > 1:
            self._ask_again(job, job.call.inputs, split=True)
            return
        yield from (Extracted(chunk_input.key, None, str(error)) for chunk_input in job.call.inputs)

    def _ask_again(self, job: _Job, inputs: Sequence[ExtractionInput], *, split: bool) -> None:
        """Queue what a reply left out: as one smaller call, or in halves when it is as large as before."""
        middle = -(-len(inputs) // 2) if split else len(inputs)
        self._again += [_Job(job.page, number_call(part)) for part in (inputs[:middle], inputs[middle:]) if part]

    def left_over(self) -> Iterator[Extracted]:
        """What was not asked since the work was stopped; raises where the server turned every call away."""
        if self._turned_away:
            raise self._turned_away[0][1]
        for job in [*self._again, *self._jobs] if self._stopped else ():
            yield from (Extracted(chunk_input.key, None, self._stopped) for chunk_input in job.call.inputs)
