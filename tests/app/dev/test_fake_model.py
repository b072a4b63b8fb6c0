"""The fake model: pages read back, rules as a model replies them, both clients, and the command."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import httpx
import pytest
from llama_index.core.base.llms.types import ChatMessage
from llama_index.core.llms.function_calling import FunctionCallingLLM

from clausegraph.app.dev.fake_model import CHAT, NO_PAGE, FakeModel
from clausegraph.app.dev.fake_pages import cheap_reading, rule_lines
from clausegraph.app.dev.json_server import JsonServer
from clausegraph.core.errors import InputError
from clausegraph.ingestion.extract.llm.numbering import page_text
from clausegraph.ingestion.extract.llm.rules_reply import parse_rules
from tests.app.cli.conftest import REPOSITORY
from tests.harness.wait import PATIENCE_S
from tests.ingestion.llm.calls import PAGE_CALL

PAGE = """\
<<<PAGE 00ff12>>>
## Tax credit > Claim
1 You can claim the tax credit if all of these apply:
2- you are over 16
3- you live in the UK
4 You must tell us within 30 days unless you are ill.
5| Single | £1,200 (columns: Status | Amount)
## Tax credit > Stop
6# Stop
7 You cannot claim if you are in prison.
<<<END 00ff12>>>
"""
Make = Callable[[str], AbstractContextManager[FunctionCallingLLM]]


def test_the_parser_takes_every_line_of_the_fake() -> None:
    page = "\n".join(["# Heating Grant", *page_text(PAGE_CALL).splitlines()[1:]])
    (found,) = parse_rules(rule_lines(page), PAGE_CALL, cut_off=False)
    assert found is not None and len(found.rules) >= 6
    assert not found.rejects
    assert rule_lines("") == "none"


def test_a_list_of_conditions_is_read_for_a_question_of_yes_or_no() -> None:
    page = "\n".join([
        "PAGE 1: Winter Grant", "e1# Winter Grant", "e2. You can get it if you apply.", "e3. You cannot get it if:",
        "e4- you live in a care home, unless you pay all of the fees", "e5- you were in prison",
        "e6. The winter grant is £210.",
    ])  # fmt: skip
    told = "Scenario: My mother is in a care home.\nQuestion: "
    made = cheap_reading(page, told + "Could she get the winter grant?")
    (only,) = made["answers"]
    assert (only["text"], only["element"]) == ("no", "e3")
    assert only["if"] == {"any": [{"all": ["c1", {"not": "c2"}]}, "c3"]}
    assert [(c["element"], c["state"], c["scenario"]) for c in made["conditions"]] == [
        ("e4", "met", "in a care home"), ("e4", "open", ""), ("e5", "open", ""),
    ]  # fmt: skip
    assert cheap_reading(page, told + "How much is it?")["conditions"] == []
    assert cheap_reading(page, "Question: Could she get the winter grant?")["answers"][0]["text"] == "yes"
    assert cheap_reading("", "Question: ?")["answers"] == []


@contextmanager
def mistral(url: str) -> Iterator[FunctionCallingLLM]:
    from llama_index.llms.mistralai import MistralAI

    made = MistralAI(model="mistral-small-latest", endpoint=url, api_key="key")
    with made._client:
        yield made


@contextmanager
def openai(url: str) -> Iterator[FunctionCallingLLM]:
    from llama_index.llms.openai_like import OpenAILike

    with httpx.Client(trust_env=False) as client:
        yield OpenAILike(
            model="fake-small", api_base=url + "/v1", api_key="key", is_chat_model=True, context_window=32000,
            max_retries=0, http_client=client,
        )  # fmt: skip


@pytest.mark.integration
@pytest.mark.parametrize("make", [mistral, openai])
def test_both_clients_get_whole_replies_and_streams(make: Make) -> None:
    model, messages = FakeModel(), [ChatMessage(role="user", content=PAGE)]
    with JsonServer(model.answer) as server, make(server.url) as llm:
        whole = llm.chat(messages).message.content or ""
        streamed = "".join(part.delta or "" for part in llm.stream_chat(messages))
    assert streamed == whole and "\n1,2,3 eligibility about A actor B" in whole
    counted = model.counted()
    assert (counted["requests"], counted["distinct_prompts"]) == (2, 2)
    assert counted["prompt_tokens"] > 0 and server.asked == {200: 2}


def test_what_it_replies_to_other_requests() -> None:
    model = FakeModel()
    schema: dict[str, object] = {"properties": {"analysis": {}, "answers": {}}}
    shape = {"type": "json_schema", "json_schema": {"name": "it", "schema": schema}}

    def said(text: str, **more: object) -> str:
        status, reply = model.answer(CHAT, {"messages": [{"role": "user", "content": text}], **more})
        assert status == 200
        return str(reply["choices"][0]["message"]["content"])

    assert said("no page") == NO_PAGE
    assert json.loads(said("no page", response_format={"type": "json_object"})) == {"text": NO_PAGE}
    assert set(json.loads(said(PAGE, response_format=shape))) > {"analysis", "answers"}
    assert model.answer("/v1/embeddings", {})[0] == 404
    assert model.answer(CHAT, {"messages": []})[0] == 422


@pytest.mark.integration
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_the_command_with_its_counters(number: signal.Signals) -> None:
    words = [sys.executable, str(REPOSITORY / "clausegraph.py"), "dev", "fake-llm"]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(words, env=os.environ | {"PYTHONIOENCODING": "utf-8"}, **pipes) as process:  # type: ignore[call-overload]
        head, *settings = [process.stdout.readline().strip() for _ in range(4)]
        url = head.split()[-1]
        assert head == f"fake model server (no language model): {url}"
        body = {"messages": [{"role": "user", "content": "hello"}]}
        for _ in range(2):
            httpx.post(url + CHAT, json=body, trust_env=False).raise_for_status()
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (0, "")
    assert settings == ["CLAUSEGRAPH_LLM=mistral:fake-small", f"CLAUSEGRAPH_LLM_URL={url}", "CLAUSEGRAPH_LLM_KEY=fake"]
    assert out.startswith("requests 2, 1 of them different; tokens: 4 of prompts")


@pytest.mark.integration
def test_a_taken_port_is_an_error() -> None:
    with JsonServer(FakeModel().answer) as server:
        port = int(server.url.rpartition(":")[2])
        with pytest.raises(InputError, match=f"port {port}"):
            JsonServer(FakeModel().answer, port)
