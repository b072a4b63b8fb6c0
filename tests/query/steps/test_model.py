"""How a step asks a model: prompt, account, parse; two questions at once, limits, and a question given up."""

import itertools
import threading
from concurrent.futures import CancelledError

import pytest
from llama_index.core.base.llms.types import ChatResponseAsyncGen
from llama_index.core.llms.mock import MockLLM

from clausegraph.core.errors import BudgetExceeded, ModelUnavailable, PromptError, UnusableReply
from clausegraph.core.models.guard import GuardedLLM, guard
from clausegraph.core.prompts import PromptLibrary
from clausegraph.query.steps.model import ModelSteps, QuestionLimits, QuestionMeter
from tests.core.models.stack.doubles import MemoryCache
from tests.harness.fake_llm import FakeModelServer
from tests.harness.wait import until

pytestmark = pytest.mark.integration


@pytest.fixture
def steps(llm: GuardedLLM, prompts: PromptLibrary) -> ModelSteps:
    return ModelSteps(llm, prompts)


def test_a_call_is_rendered_parsed_and_on_the_questions_account(fake: FakeModelServer, steps: ModelSteps) -> None:
    model = steps.question(QuestionMeter())
    asked = model.ask("say", {"question": "four", "more": "than the prompt takes"}, str.upper)
    assert (asked.value, asked.text) == ("FOUR", "four")
    assert [message.role.value for message in asked.chat] == ["system", "user", "assistant"]
    on = model.ask("say.v1", {"question": "five"}, str, before=asked.chat)
    assert len(on.chat) == 6
    used, counted = model.meter.usage(), fake.counters()
    assert (used.calls, used.cached, used.tasks) == (2, 0, {"say": 2})
    assert (used.prompt_tokens, used.output_tokens) == (counted["prompt_tokens"], counted["output_tokens"])
    assert used.money == pytest.approx((2 * used.prompt_tokens + 4 * used.output_tokens) / 1e6)
    assert used.seconds > 0


def test_a_prompt_that_wants_more_than_the_step_has_is_named(steps: ModelSteps) -> None:
    with pytest.raises(PromptError, match="declares input 'question'; this step has: name"):
        steps.question(QuestionMeter()).ask("say", {"name": "x"}, str)


def test_a_reply_from_the_cache_costs_nothing(steps: ModelSteps) -> None:
    steps.question(QuestionMeter()).ask("say", {"question": "four"}, str)
    again = steps.question(QuestionMeter())
    again.ask("say", {"question": "four"}, str)
    assert (again.meter.usage().cached, again.meter.usage().money) == (1, 0.0)


def test_a_reply_that_cannot_be_read_is_not_kept(steps: ModelSteps, cache: MemoryCache) -> None:
    def parse(text: str) -> str:
        raise UnusableReply("nothing in it")

    with pytest.raises(UnusableReply):
        steps.question(QuestionMeter()).ask("say", {"question": "four"}, parse)
    assert not cache.stored


@pytest.mark.parametrize(
    ("limits", "problem"),
    [
        (QuestionLimits(calls=1), "has made its 1 calls of a model; that for 'say'"),
        (QuestionLimits(tokens=700), "may use 700 of tokens and has used"),
        (QuestionLimits(money=0.0025), "may use 0.0025 of money and has used"),
    ],
)
def test_what_a_question_may_not_use_is_not_sent(
    fake: FakeModelServer, steps: ModelSteps, limits: QuestionLimits, problem: str
) -> None:
    model = steps.question(QuestionMeter(limits))
    model.ask("say", {"question": "four"}, str)
    with pytest.raises(BudgetExceeded, match=problem):
        model.ask("say", {"question": "five " * 200}, str)
    assert fake.counters()["requests"] == 1


WORDS = " ".join(f"word{number}" for number in range(60))


def test_a_listener_hears_a_reply_grow_on_the_thread_that_asks(fake: FakeModelServer, steps: ModelSteps) -> None:
    fake.set(fault="slow_stream", chunk_delay=0.01)
    model = steps.question(QuestionMeter())
    heard: list[str] = []
    threads: set[int] = set()

    def listen(text: str) -> None:
        heard.append(text)
        threads.add(threading.get_ident())

    asked = model.ask("say", {"question": WORDS}, str, listen=listen)
    assert asked.text == heard[-1] == WORDS
    assert len(heard) > 2
    assert all(later.startswith(earlier) for earlier, later in itertools.pairwise(heard))
    assert threads == {threading.get_ident()}
    used, counted = model.meter.usage(), fake.counters()
    assert (used.calls, used.prompt_tokens, used.output_tokens) == (
        1,
        counted["prompt_tokens"],
        counted["output_tokens"],
    )


def test_a_streamed_reply_is_kept_as_one_that_is_sent_whole(
    fake: FakeModelServer, steps: ModelSteps, cache: MemoryCache
) -> None:
    steps.question(QuestionMeter()).ask("say", {"question": WORDS}, str, listen=lambda _: None)
    streamed = dict(cache.stored)
    cache.stored.clear()
    steps.question(QuestionMeter()).ask("say", {"question": WORDS}, str)
    assert cache.stored == streamed
    heard: list[str] = []
    again = steps.question(QuestionMeter())
    again.ask("say", {"question": WORDS}, str, listen=heard.append)
    assert heard == [WORDS]
    assert (again.meter.usage().cached, again.meter.usage().money) == (1, 0.0)
    assert fake.counters()["requests"] == 2


def test_a_stream_that_breaks_begins_anew(fake: FakeModelServer, steps: ModelSteps) -> None:
    fake.set(fault="cut_connection", fault_first=1)
    model = steps.question(QuestionMeter())
    heard: list[str] = []
    assert model.ask("say", {"question": WORDS}, str, listen=heard.append).text == heard[-1] == WORDS
    assert fake.counters()["requests"] == 2
    fake.set(fault="cut_connection", fault_first=None)
    with pytest.raises(ModelUnavailable):
        model.ask("say", {"question": f"{WORDS} again"}, str, listen=heard.append)
    assert fake.counters()["requests"] == 4


def test_an_attempt_that_broke_costs_the_question_the_same_streamed_or_not(
    fake: FakeModelServer, steps: ModelSteps
) -> None:
    spent = []
    for question, listen in (("one " * 9, None), ("two " * 9, lambda _: None)):
        fake.set(fault="cut_connection", fault_first=1)
        model = steps.question(QuestionMeter())
        model.ask("say", {"question": question}, str, listen=listen)
        spent.append((model.meter.usage().money, model.meter.usage().output_tokens))
    assert spent[0] == spent[1]


@pytest.mark.parametrize("streamed", [True, False])
def test_a_question_given_up_ends_its_call_and_makes_no_other(
    fake: FakeModelServer, steps: ModelSteps, cache: MemoryCache, streamed: bool
) -> None:
    fake.set(fault="stall" if streamed else "hang")
    model = steps.question(QuestionMeter())
    heard, raised = threading.Event(), threading.Event()

    def ask() -> None:
        try:
            model.ask("say", {"question": WORDS}, str, listen=(lambda _: heard.set()) if streamed else None)
        except CancelledError:
            raised.set()

    waiting = threading.Thread(target=ask)
    waiting.start()
    if streamed:
        assert heard.wait(30)
    else:
        until(lambda: fake.counters()["in_flight"] == 1)
    model.stop()
    waiting.join()
    assert raised.is_set()
    assert not cache.stored
    with pytest.raises(CancelledError):
        model.ask("say", {"question": "five"}, str)
    until(lambda: fake.counters()["in_flight"] == 0)


def test_what_a_listener_raises_ends_the_call(fake: FakeModelServer, steps: ModelSteps, cache: MemoryCache) -> None:
    fake.set(fault="stall")

    def listen(text: str) -> None:
        if text:  # a stream may begin with nothing
            raise KeyError(text[:4])

    with pytest.raises(KeyError, match="word"):
        steps.question(QuestionMeter()).ask("say", {"question": WORDS}, str, listen=listen)
    until(lambda: fake.counters()["in_flight"] == 0)
    assert not cache.stored


def test_a_model_that_only_replies_whole_is_heard_once(prompts: PromptLibrary) -> None:
    class Whole(MockLLM):
        async def astream_chat(self, *_: object, **__: object) -> ChatResponseAsyncGen:
            raise NotImplementedError

    heard: list[str] = []
    model = ModelSteps(guard(Whole(max_tokens=3)), prompts).question(QuestionMeter())
    assert model.ask("say", {"question": "four"}, str, listen=heard.append).text == heard[0]
    assert len(heard) == 1
