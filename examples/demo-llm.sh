#!/bin/sh
# The sample corpus through a language model, end to end: triplets with conditions into the graph, then a question.
# CLAUSEGRAPH_LLM with its key or address uses that model; without it a fake server stands in, which has no model. With
# REAL=1 a real one that runs here does, too small to be of use: what it makes up is refused. It reads a page of its own.
set -eu
umask 077
bin=$1
export CLAUSEGRAPH_HOME=$2
rm -rf "$CLAUSEGRAPH_HOME"
mkdir -p "$CLAUSEGRAPH_HOME"
cd "$(dirname "$0")/.."

if [ -z "${CLAUSEGRAPH_LLM:-}" ]; then
    said=$CLAUSEGRAPH_HOME/model-server.txt
    if [ -n "${REAL:-}" ]; then
        last=CLAUSEGRAPH_CALL_TOKENS
        printf '$ python examples/real_llm.py &\n'
        "$bin/python" examples/real_llm.py >"$said" 2>"$CLAUSEGRAPH_HOME/model-server.log" &
    else
        last=CLAUSEGRAPH_LLM_KEY
        printf '$ clausegraph dev fake-llm &\n'
        "$bin/clausegraph" dev fake-llm >"$said" 2>&1 &
    fi
    server=$!
    trap 'kill -INT $server 2>/dev/null; wait $server 2>/dev/null || true' EXIT INT TERM
    tries=0
    until grep -q "^$last=" "$said"; do
        tries=$((tries + 1))
        if [ $tries -gt 100 ] || ! kill -0 $server 2>/dev/null; then
            cat "$CLAUSEGRAPH_HOME"/model-server.* >&2
            echo 'Error: the model server did not start' >&2
            exit 1
        fi
        sleep 0.2
    done
    sed -e 's/127\.0\.0\.1:[0-9]*/127.0.0.1:PORT/' -e "${REAL:+s/_KEY=.*/_KEY=…/}" "$said"
    while IFS='=' read -r name value; do
        case $name in CLAUSEGRAPH_*) export "$name=$value" ;; esac
    done <"$said"
fi

pages=examples/corpus
if [ -n "${REAL:-}" ]; then
    pages=$CLAUSEGRAPH_HOME/pages
    mkdir "$pages"
    cp examples/corpus/heating-grant.html "$pages"
    printf '\n$ clausegraph ingest pages  # one page, read by the model\n'
    "$bin/clausegraph" ingest "$pages" || export CLAUSEGRAPH_EXTRACTOR=rules
fi
if [ -z "${REAL:-}" ] || [ -n "${CLAUSEGRAPH_EXTRACTOR:-}" ]; then
    printf '\n$ %sclausegraph ingest %s\n' "${REAL:+CLAUSEGRAPH_EXTRACTOR=rules }" "${pages##"$CLAUSEGRAPH_HOME"/}"
    "$bin/clausegraph" ingest "$pages"
fi
printf "\n\$ clausegraph ask 'Could she get the Winter Heating Grant?' \\\\\n"
printf "      --scenario 'My mother is 84 and has been in a care home in Dunwater since 2024. She is on Basic Support.'\n"
"$bin/clausegraph" ask 'Could she get the Winter Heating Grant?' \
    --scenario 'My mother is 84 and has been in a care home in Dunwater since 2024. She is on Basic Support.'
