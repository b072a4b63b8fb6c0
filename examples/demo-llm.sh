#!/bin/sh
# The sample corpus through a language model, end to end: triplets with conditions into the graph, then a question.
# CLAUSEGRAPH_LLM with its key or address uses that model; without it a fake server stands in, which has no model.
set -eu
bin=$1
export CLAUSEGRAPH_HOME=$2
rm -rf "$CLAUSEGRAPH_HOME"
mkdir -p "$CLAUSEGRAPH_HOME"
cd "$(dirname "$0")/.."

if [ -z "${CLAUSEGRAPH_LLM:-}" ]; then
    printf '$ clausegraph dev fake-llm &\n'
    "$bin/clausegraph" dev fake-llm >"$CLAUSEGRAPH_HOME/fake-llm.txt" 2>&1 &
    fake=$!
    trap 'kill -INT $fake 2>/dev/null; wait $fake 2>/dev/null || true' EXIT INT TERM
    tries=0
    until grep -q '^CLAUSEGRAPH_LLM_KEY=' "$CLAUSEGRAPH_HOME/fake-llm.txt"; do
        tries=$((tries + 1))
        if [ $tries -gt 100 ] || ! kill -0 $fake 2>/dev/null; then
            cat "$CLAUSEGRAPH_HOME/fake-llm.txt" >&2
            echo 'Error: the fake model server did not start' >&2
            exit 1
        fi
        sleep 0.2
    done
    sed 's/127\.0\.0\.1:[0-9]*/127.0.0.1:PORT/' "$CLAUSEGRAPH_HOME/fake-llm.txt"
    while IFS='=' read -r name value; do
        case $name in CLAUSEGRAPH_*) export "$name=$value" ;; esac
    done <"$CLAUSEGRAPH_HOME/fake-llm.txt"
fi

printf '\n$ clausegraph ingest examples/corpus\n'
"$bin/clausegraph" ingest examples/corpus
printf "\n\$ clausegraph ask 'Could she get the Winter Heating Grant?' \\\\\n"
printf "      --scenario 'My mother is 84 and has been in a care home in Dunwater since 2024. She is on Basic Support.'\n"
"$bin/clausegraph" ask 'Could she get the Winter Heating Grant?' \
    --scenario 'My mother is 84 and has been in a care home in Dunwater since 2024. She is on Basic Support.'
