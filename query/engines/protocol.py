"""What an engine is, and what one is made of."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Answer, TraceStep
from clausegraph.query.engines.presets.forms import AnswerForm, FormOf
from clausegraph.query.read.protocol import Reader
from clausegraph.query.steps.choice import StepChoice, StepMaker
from clausegraph.query.steps.meter import QuestionLimits

if TYPE_CHECKING:
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.core.models.reranking import Reranker
    from clausegraph.query.crag.parts import CragOptions
    from clausegraph.query.steps.model import ModelSteps, StepModel

ReaderMaker = Callable[["Embedder", "StepModel"], Reader]  # of a reader that asks, for one question
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
        steps: which implementation each step of the loop has.
        instead: single steps, by name, in place of those that ``steps`` or a published engine has: for ablations.
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
    steps: StepChoice = field(default_factory=StepChoice)
    instead: Mapping[str, str | StepMaker] = field(default_factory=dict)
    rounds: int = 4
    question: QuestionLimits = field(default_factory=QuestionLimits)
    form: FormOf | None = None
    shots: Mapping[AnswerForm, str] = field(default_factory=dict)
    crag: CragOptions | None = None
