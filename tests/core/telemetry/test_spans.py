"""Spans in this process, sent to a real collector on the loopback interface."""

import asyncio
import threading

import pytest
from opentelemetry import trace

from clausegraph.core.errors import ModelUnavailable, NotFoundError
from clausegraph.core.secrets import register_secret
from clausegraph.core.telemetry.redaction import allow_content
from clausegraph.core.telemetry.spans import current_span, span, start_telemetry, stop_telemetry
from tests.core.telemetry.conftest import Collector


@pytest.mark.integration
def test_parents_attributes_and_errors(collector: Collector) -> None:
    register_secret("sk-secret-value")
    start_telemetry("otlp", version="1.2")
    start_telemetry("otlp", version="1.3")  # already on
    with span("outer", corpus="c", question="Am I?", key="sk-secret-value", nothing=None) as outer:
        outer.set(pages=["a", "\ud800"], texts=["x", "y"], tokens=3, seconds=0.5, ok=True, endpoint="a sk-secret-value")
        with span("inner", model="m", prompt_tokens=7, output_tokens=2, prompt="triplets.v1"):
            pass
    with pytest.raises(NotFoundError), span("failed"):
        raise NotFoundError("no corpus 'x'; not sk-secret-value")
    with pytest.raises(ModelUnavailable), span("refused"):
        raise ModelUnavailable("the server said: text of the prompt", status=503)
    with pytest.raises(ValueError), span("surprise"):
        raise ValueError("text of a page")
    with pytest.raises(KeyboardInterrupt), span("stopped"):
        raise KeyboardInterrupt
    stop_telemetry()

    assert collector.tree()["inner"] == "outer" and collector.tree()["outer"] is None
    assert set(collector.paths) == {"/v1/traces"}
    assert collector.resource == {"service.name": "clausegraph", "service.version": "1.2"}
    assert collector.one("outer").attributes == {
        "clausegraph.corpus": "c",
        "clausegraph.question_chars": 5,
        "clausegraph.key_chars": 15,
        "clausegraph.pages": ["a", "\\ud800"],
        "clausegraph.texts_count": 2,
        "clausegraph.tokens": 3,
        "clausegraph.seconds": 0.5,
        "clausegraph.ok": True,
        "clausegraph.endpoint": "a ***",
    }
    assert collector.one("inner").attributes == {
        "gen_ai.request.model": "m",
        "gen_ai.usage.input_tokens": 7,
        "gen_ai.usage.output_tokens": 2,
        "clausegraph.prompt": "triplets.v1",
    }
    failed = collector.one("failed")
    assert failed.failed and failed.status == "NotFoundError" and failed.events == 0
    assert failed.attributes["clausegraph.error_message"] == "no corpus 'x'; not ***"
    assert collector.one("refused").attributes == {"error.type": "ModelUnavailable", "http.response.status_code": 503}
    assert collector.one("surprise").attributes == {"error.type": "ValueError"}
    assert not collector.one("stopped").failed
    assert not any(word in body for body in collector.bodies for word in (b"sk-secret", b"Am I", b"text of"))


@pytest.mark.integration
def test_texts_where_they_are_asked_for(collector: Collector) -> None:
    allow_content(True)
    register_secret("sk-secret-value")
    start_telemetry("otlp")
    with span("call", reply="yes, sk-secret-value"):
        pass
    stop_telemetry()
    assert collector.one("call").attributes == {"clausegraph.reply": "yes, ***"}


@pytest.mark.integration
def test_threads_loops_and_streams(collector: Collector) -> None:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()

    async def call() -> None:
        with span("on the loop"):
            await asyncio.sleep(0)

    start_telemetry("otlp")
    with span("outer"):
        asyncio.run_coroutine_threadsafe(call(), loop).result()
        stream = span("stream").start()
        assert stream is not current_span.get()
    with span("later"):
        stream.end(TimeoutError())
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()
    stop_telemetry()
    assert collector.tree() == {"outer": None, "on the loop": "outer", "stream": "outer", "later": None}
    assert collector.one("stream").failed


@pytest.mark.integration
def test_nothing_of_ours_is_global(collector: Collector) -> None:
    """Instrumented libraries find neither a provider to write prompts to nor a current span of ours."""
    start_telemetry("otlp")
    with span("outer"):
        assert not trace.get_current_span().get_span_context().is_valid
        with trace.get_tracer("mistralai_sdk_tracer").start_as_current_span("chat", attributes={"messages": "all"}):
            pass
    stop_telemetry()
    assert set(collector.tree()) == {"outer"}
