"""What an engine is and is made of; the engines by name, and the one factory that everything calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from clausegraph.core.types import TraceStep
from clausegraph.query.registry import Entry, Registry
from clausegraph.query.steps.model import QuestionLimits

if TYPE_CHECKING:
    from clausegraph.core.inquiry import Inquiry
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.core.models.reranking import Reranker
    from clausegraph.core.types import Answer
    from clausegraph.indexes.views import View
    from clausegraph.query.crag.types import CragOptions
    from clausegraph.query.engines.prompt import AnswerForm, FormOf
    from clausegraph.query.read.protocol import Reader
    from clausegraph.query.steps.model import ModelSteps, StepModel
    from clausegraph.query.steps.protocol import StepMaker

    ReaderMaker = Callable[[Embedder, StepModel], Reader]  # of a reader that asks, for one question

DEFAULT = "loop"
# Told, while the question is still open, of each step when it has ended, and of each sentence that a model writes for
# the answer before it is checked: a step "writing" (``read/model/partial.py``), which is in no answer's trace. It is
# called by one thread at a time, which may be the models' loop, so it must not wait.
Watch = Callable[[TraceStep], None]


class Engine(Protocol):
    """Answers inquiries from one view; meters its own question and keeps nothing of it."""

    def ask(self, inquiry: Inquiry, watch: Watch | None = None) -> Answer:
        """The answer with its trace. No alternatives means "searched, and the corpus does not say".

        Raises:
            QuestionError: the inquiry has a date or assumptions that this engine cannot use.
            ModelError: a step asks a language model, and there is no reply.
        """


@dataclass(frozen=True, slots=True)
class EngineOptions:
    """What an engine works with; one that decides for itself leaves out what it does not need.

    Args:
        retriever: a name of the bank (``query/retrieve/bank.py``).
        reranker: puts what is retrieved in order; none means as the retriever does.
        reader: a name of ``query/read/protocol.py``, a reader that somebody made, or what makes one that asks a model.
        limit: hits handed to the reader.
        commits: asserts what it reads though another page contradicts it; for evaluations whose scorer knows no quotes.
        model: language model and prompts of the steps that ask one.
        steps: single steps ("route", "validate", "comment") by name, in place of those that the engine has.
        rounds: of routing and retrieval, at most.
        question: what a question may use of the model.
        form: of the answer, for presets that have a prompt for each; none means by the words of the question.
        shots: examples of answers for each form, as they stand in the prompt; none means none.
        crag: modules and parts of the engine for open questions; none means as shipped, without a graph.
    """

    retriever: str = "hybrid"
    reranker: Reranker | None = None
    reader: str | Reader | ReaderMaker = "extractive"
    limit: int = 60
    commits: bool = False
    model: ModelSteps | None = None
    steps: Mapping[str, str | StepMaker] = field(default_factory=dict)
    rounds: int = 4
    question: QuestionLimits = field(default_factory=QuestionLimits)
    form: FormOf | None = None
    shots: Mapping[AnswerForm, str] = field(default_factory=dict)
    crag: CragOptions | None = None


@dataclass(frozen=True, slots=True)
class EngineEntry(Entry):
    """An engine by name, and what it can do; its maker takes view, embedder and options.

    Args:
        asks: it cannot do without a language model.
        rounds: it has rounds and their steps.
        free_text: its reply is shown as it is; it has no prompt for each form of answer, and takes no examples.
    """

    asks: bool = False
    rounds: bool = False
    free_text: bool = False


ENGINES = Registry(
    "engine",
    EngineEntry("single-pass", "retrieve once, read once", "engines.single_pass:make"),
    EngineEntry(
        "loop", "route, retrieve, validate, and again with feedback; then read", "engines.loop:Loop", rounds=True
    ),
    EngineEntry(
        "hybridcontextqa", "5 chunks and 30 triples in one prompt of four", "engines.hybridcontextqa:make", asks=True
    ),
    EngineEntry("hybgrag", "the loop with a model in every step", "engines.hybgrag:make", asks=True, rounds=True),
    *(
        EngineEntry(name, about, f"engines.{maker}", asks=True)
        for name, about, maker in (
            ("kg-only", "30 triples with their chunks in one prompt", "hybridcontextqa:kg_only"),
            ("vector-only", "5 chunks in one prompt", "hybridcontextqa:vector_only"),
            ("vector-reranked", "20 chunks, the 5 that a model puts first", "corrective:vector_reranked"),
            ("text-prompt", "the nearest page in one prompt", "whole_page:text_prompt"),
            ("code-prompt", "the nearest page as pseudo-code in one prompt", "whole_page:code_prompt"),
            (
                "chain-of-condition",
                "conditions of the nearest page identified, verified, solved by code",
                "chain_of_condition:chain_of_condition",
            ),
            ("think-on-graph", "a model's beam over triples, then one prompt", "think_on_graph:think_on_graph"),
            ("react", "thought and action in four turns, then one prompt", "react:react"),
            ("corrective-rag", "chunks, or triples where a model finds them wrong", "corrective:corrective_rag"),
        )
    ),
    EngineEntry(
        "plain-rag",
        "5 chunks in one plain prompt; the reply as it is, without sources",
        "engines.plain_rag:PlainRag",
        asks=True,
        free_text=True,
    ),
    EngineEntry("crag", "open questions: short answers from pages and graphs, or none", "crag.engine:CorpusCrag"),
)


@dataclass(frozen=True, slots=True)
class Spelled:
    """An engine that is asked with the misspelt words of a question read as the corpus writes them.

    The answer has the inquiry as it was typed, and tells the words that were read as others.
    """

    inner: Engine
    view: View

    def ask(self, inquiry: Inquiry, watch: Watch | None = None) -> Answer:
        """As ``inner``."""
        from clausegraph.query.retrieve.spelling import corrected

        question, words = corrected(self.view, inquiry.question)
        if not words:
            return self.inner.ask(inquiry, watch)
        answer = self.inner.ask(replace(inquiry, question=question), watch)
        return replace(answer, inquiry=inquiry, corrected=words)


def make_engine(
    view: View,
    embedder: Embedder,
    options: EngineOptions | None = None,
    *,
    engine: str = DEFAULT,
    **changes: Any,
) -> Engine:
    """The engine of that name on a view; ``changes`` are single ``EngineOptions``, by name.

    Raises:
        InputError: no such engine, retriever or reader, or a limit or number of rounds below 1.
        SettingsError: something asks a language model, and there is none.
    """
    made: Engine = ENGINES[engine].load()(view, embedder, replace(options or EngineOptions(), **changes))
    return Spelled(made, view)
