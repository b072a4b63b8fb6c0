#!/bin/sh
# From a folder of policy pages to an answer with its conditions: no server, no key, no download.
set -eu
bin=$1
export CLAUSEGRAPH_HOME=$2
rm -rf "$CLAUSEGRAPH_HOME"
run() { printf '\n$ clausegraph %s\n' "$1"; shift; "$bin/clausegraph" "$@"; }

run 'ingest examples/corpus' ingest examples/corpus
run 'status' status
question='Can I get the heating grant?'
scenario='I am 70 and live on my own in Lethmoor in a flat that I rent.'
run "ask '$question' --scenario '$scenario'" ask "$question" --scenario "$scenario"
