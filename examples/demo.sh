#!/bin/sh
# From a folder of policy pages to an answer with its conditions: no server, no key, no download.
set -eu
bin=$1
export CLAUSEGRAPH_HOME=$2
rm -rf "$CLAUSEGRAPH_HOME"
cd "$(dirname "$0")/.."

ask() {
    printf "\n\$ clausegraph ask '%s' \\\\\n      --scenario '%s'\n" "$1" "$2"
    "$bin/clausegraph" ask "$1" --scenario "$2"
}

printf '$ clausegraph ingest examples/corpus\n'
"$bin/clausegraph" ingest examples/corpus
ask 'Could she get the Winter Heating Grant?' \
    'My mother is 84 and has been in a care home in Dunwater since 2024. She is on Basic Support.'
ask 'How long do I have to appeal to the Panel?' 'The review of my claim went against me.'
