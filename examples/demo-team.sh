#!/bin/sh
# The sample corpus on a team's servers: Airflow runs its DAG, a language model extracts, Neo4j has the published graph.
# demo-team.sh BIN FOLDER       everything below FOLDER; stops its servers at the end, unless DEMO_KEEP=1
# demo-team.sh BIN FOLDER stop  stops what an earlier one left running
# CLAUSEGRAPH_LLM with its key or address uses that model; without it a fake server stands in, which has no model.
set -eu
bin=$1
team=$2
cd "$(dirname "$0")/.."
umask 077

fake_pid() { # of the fake server that was started here, if the process is still that one
    test -r "$team/fake-llm.pid" || return 0
    pid=$(cat "$team/fake-llm.pid")
    case $(ps -ww -o args= -p "$pid" 2>/dev/null) in *"dev fake-llm"*) echo "$pid" ;; esac
}

stop() {
    trap '' INT TERM HUP PIPE # a second Ctrl-C must not leave half of it running
    if [ -d "$team/airflow" ]; then "$bin/clausegraph" dags stop --folder "$team/airflow" || true; fi
    if [ -d "$team/neo4j" ]; then "$bin/clausegraph" server stop --folder "$team/neo4j" || true; fi
    pid=$(fake_pid)
    if [ -n "$pid" ]; then
        kill "$pid" 2>/dev/null || true
        while [ -n "$(fake_pid)" ]; do sleep 0.1; done # it ends within a moment
        echo 'the fake model server has stopped'
    fi
    rm -f "$team/fake-llm.pid"
}

if [ "${3:-}" = stop ]; then
    stop
    exit
fi

step() {
    printf '\n$ clausegraph %s\n' "$1"
    shift
    "$bin/clausegraph" "$@"
}

mkdir -p "$team"
stop >/dev/null
trap stop EXIT
trap 'exit 130' INT TERM HUP PIPE

printf '$ clausegraph server neo4j\n'
"$bin/clausegraph" server neo4j --folder "$team/neo4j" --jars .neo4j --memory 512m >"$team/neo4j.txt"
sed -n 1,3p "$team/neo4j.txt"
{
    echo "export CLAUSEGRAPH_CONFIG='$team/clausegraph.toml' CLAUSEGRAPH_HOME='$team/home' CLAUSEGRAPH_CORPUS=lethmoor"
    echo 'export CLAUSEGRAPH_NEO4J_MODE=required CLAUSEGRAPH_GRAPH=neo4j'
    grep '^export ' "$team/neo4j.txt"
} >"$team/env.sh"
cat >"$team/clausegraph.toml" <<END
[corpora.lethmoor]
source = "$PWD/examples/corpus"
schedule = ""
batch_chunks = 30
lease = 60
retry_delay = 5
END

if [ -z "${CLAUSEGRAPH_LLM:-}" ]; then
    printf '\n$ clausegraph dev fake-llm &\n'
    rm -f "$team/fake-llm.txt" # an earlier one's would be read before the new one is there
    "$bin/clausegraph" dev fake-llm >"$team/fake-llm.txt" 2>&1 &
    fake=$!
    echo $fake >"$team/fake-llm.pid"
    tries=0
    until grep -qs '^CLAUSEGRAPH_LLM_KEY=' "$team/fake-llm.txt"; do
        tries=$((tries + 1))
        if [ $tries -gt 100 ] || ! kill -0 $fake 2>/dev/null; then
            cat "$team/fake-llm.txt" >&2 || true
            echo 'Error: the fake model server did not start' >&2
            exit 1
        fi
        sleep 0.2
    done
    echo '*** A FAKE: it speaks the protocol, and rules write its replies. No language model runs in this demo. ***'
    cat "$team/fake-llm.txt"
    sed -n 's/^CLAUSEGRAPH_/export &/p' "$team/fake-llm.txt" >>"$team/env.sh"
fi
# shellcheck source=/dev/null
. "$team/env.sh"

printf '\n$ clausegraph dags serve\n'
"$bin/clausegraph" dags serve --folder "$team/airflow" >"$team/airflow.txt"
sed -n 1,3p "$team/airflow.txt"
step 'dags run lethmoor' dags run lethmoor --folder "$team/airflow"
step 'status' status
step 'project neo4j --verify' project neo4j --verify
question='Could she get the Winter Heating Grant?'
scenario='My mother is 84 and has been in a care home in Dunwater since 2024. She is on Basic Support.'
step "ask '$question' \\
      --scenario '$scenario'" ask "$question" --scenario "$scenario"

# shellcheck disable=SC2016 # Cypher's own $
evidence='MATCH (page:Page {corpus: $corpus}) MATCH (who)-[says:STATES {page: page.key, relation: "gets", modality: "may"}]->(what)
MATCH (:Condition {key: says.condition})-[leaf:LEAF]->(sentence:Element)
WHERE says.since <= $epoch < says.until
RETURN page.uri, who.name, says.modality, says.relation, what.name, leaf.text, sentence.anchor
ORDER BY page.uri, who.name, leaf.position LIMIT 8'
step "cypher '$evidence'" cypher "$evidence"

if [ "${DEMO_KEEP:-0}" = 1 ]; then
    trap - EXIT
    printf '\nIt runs on; stop it with: make stop. The evidence can be looked at with the query above in Neo4j Browser, after\n'
    printf ':param corpus => "lethmoor"\n:param epoch => 1\n'
    sed -n 2,3p "$team/neo4j.txt"
    sed -n 1,2p "$team/airflow.txt"
    printf 'for the commands above: . %s/env.sh\n' "$team"
else
    printf '\nDEMO_KEEP=1 make demo-team leaves all of it running, to look at.\n'
fi
