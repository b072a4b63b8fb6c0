"""Bodies that are no reply of the protocol, or one with fields that lie."""

import json
from typing import Any

from tests.harness.fake_llm.wire import packed
from tests.injection.servers.hostile.asked import OtherBody

_TOOL = {"id": "call00001", "type": "function", "function": {"name": "delete_corpus", "arguments": '{"name": "all"}'}}


def _usage(value: Any) -> OtherBody:
    about = f"token counts of {value if not isinstance(value, int) or value < 10**9 else '10**30'!r}"
    fields = ("prompt_tokens", "completion_tokens", "total_tokens")
    return OtherBody(about, lambda asked: asked.changed(usage=dict.fromkeys(fields, value)))


BODIES: dict[str, OtherBody] = {
    "body_empty": OtherBody("no byte", lambda asked: b""),
    "body_text": OtherBody("words", lambda asked: b"vectors: none, triples: none"),
    "body_array": OtherBody("an array", lambda asked: []),
    "body_number": OtherBody("a number", lambda asked: 42),
    "body_null": OtherBody("null", lambda asked: None),
    "body_string": OtherBody("a text", lambda asked: "ok"),
    "body_brackets": OtherBody("100,000 opening brackets", lambda asked: b"[" * 100_000),
    "body_nested": OtherBody("an object 900 deep", lambda asked: b'{"choices":' * 900 + b"1" + b"}" * 900),
    "body_arrays": OtherBody("a megabyte of empty arrays", lambda asked: b"[" + b"[]," * 350_000 + b"[]]"),
    "body_cut": OtherBody("half a reply", lambda asked: packed(asked.completion)[: len(packed(asked.completion)) // 2]),
    "body_twice": OtherBody("two replies, one after the other", lambda asked: packed(asked.completion) * 2),
    "body_utf16": OtherBody("UTF-16", lambda asked: json.dumps(asked.completion).encode("utf-16")),
    "body_marked": OtherBody("a byte order mark", lambda asked: b"\xef\xbb\xbf" + packed(asked.completion)),
    "body_not_utf8": OtherBody("bytes that are no text", lambda asked: b'{"choices": "\xff\xfe\x00\xc3\x28"}'),
    "body_nul": OtherBody("zeros", lambda asked: b"\0" * 10_000),
    "body_digits": OtherBody("a number of 100,000 digits", lambda asked: b'{"created": ' + b"9" * 100_000 + b"}"),
    "no_choices": OtherBody("no choices", lambda asked: {k: v for k, v in asked.completion.items() if k != "choices"}),
    "choices_empty": OtherBody("an empty list of choices", lambda asked: asked.changed(choices=[])),
    "choices_null": OtherBody("choices that are null", lambda asked: asked.changed(choices=None)),
    "choices_object": OtherBody("choices that are an object", lambda asked: asked.changed(choices={"0": {}})),
    "choices_text": OtherBody("choices that are a text", lambda asked: asked.changed(choices="none")),
    "choices_numbers": OtherBody("choices that are numbers", lambda asked: asked.changed(choices=[1, 2])),
    "many_choices": OtherBody(
        "2,000 choices", lambda asked: asked.changed(choices=asked.with_content("[]")["choices"] * 2_000)
    ),
    "message_null": OtherBody("a message that is null", lambda asked: asked.with_choice(message=None)),
    "message_list": OtherBody("a message that is a list", lambda asked: asked.with_choice(message=["x"])),
    "message_text": OtherBody("a message that is a text", lambda asked: asked.with_choice(message="x")),
    "content_null": OtherBody("a content that is null", lambda asked: asked.with_content(None)),
    "content_number": OtherBody("a content that is a number", lambda asked: asked.with_content(1.5)),
    "content_object": OtherBody("a content that is an object", lambda asked: asked.with_content({"text": "x"})),
    "content_parts": OtherBody(
        "a content in parts of unknown kinds",
        lambda asked: asked.with_content([{"type": "text", "text": "[]"}, {"type": "weapon", "text": 1}, 7]),
    ),
    "role_unknown": OtherBody("a role that there is not", lambda asked: asked.with_message(role="attacker")),
    "role_number": OtherBody("a role that is a number", lambda asked: asked.with_message(role=3)),
    "tool_unasked": OtherBody(
        "a tool call that nobody asked for", lambda asked: asked.with_message(content="", tool_calls=[_TOOL])
    ),
    "tool_broken": OtherBody(
        "tool calls of wrong types", lambda asked: asked.with_message(tool_calls=[1, None, {"function": "x"}])
    ),
    "tool_text": OtherBody("tool calls that are a text", lambda asked: asked.with_message(tool_calls="rm")),
    "finish_unknown": OtherBody(
        "an unknown reason for the end", lambda asked: asked.with_choice(finish_reason="elephant")
    ),
    "finish_null": OtherBody("no reason for the end", lambda asked: asked.with_choice(finish_reason=None)),
    "finish_number": OtherBody("a number as reason for the end", lambda asked: asked.with_choice(finish_reason=10**30)),
    "finish_length": OtherBody("always cut off", lambda asked: asked.with_choice(finish_reason="length")),
    "usage_huge": _usage(10**30),
    "usage_negative": _usage(-5),
    "usage_text": _usage("many"),
    "usage_not_a_number": _usage(float("nan")),
    "usage_fraction": _usage(0.5),
    "usage_true": _usage(True),
    "usage_list": OtherBody("a list as token counts", lambda asked: asked.changed(usage=[1, 2])),
    "usage_null": OtherBody("null as token counts", lambda asked: asked.changed(usage=None)),
    "other_model": OtherBody("the name of another model", lambda asked: asked.changed(model="gpt-evil\n\u001b[2J")),
    "model_null": OtherBody("null as name of the model", lambda asked: asked.changed(model=None)),
    "id_long": OtherBody("an id of a megabyte", lambda asked: asked.changed(id="x" * 1_000_000)),
    "created_huge": OtherBody("a date that no clock has", lambda asked: asked.changed(created=10**400)),
    "many_fields": OtherBody(
        "20,000 unknown fields", lambda asked: asked.changed(**{f"field{n}": n for n in range(20_000)})
    ),
    "error_as_reply": OtherBody("an error with status 200", lambda asked: {"error": {"message": "no", "code": "500"}}),
}
