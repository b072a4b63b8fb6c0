# Every target sets up what it needs: Python 3.11+ and make are enough. All share one environment.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
DEMO_HOME := .demo
TEST_WORKERS ?= 2

.PHONY: demo demo-llm demo-team test check bench neo4j airflow stop clean

demo: $(STAMP)
	@sh examples/demo.sh "$(abspath $(BIN))" "$(abspath $(DEMO_HOME))"

demo-llm: $(STAMP)
	@sh examples/demo-llm.sh "$(abspath $(BIN))" "$(abspath $(DEMO_HOME)-llm)"

demo-team: $(STAMP)
	@sh examples/demo-team.sh "$(abspath $(BIN))" "$(abspath $(DEMO_HOME)-team)"

test: $(STAMP)
	$(BIN)/python -m pytest -n $(TEST_WORKERS) --dist loadgroup $(PYTEST_ARGS)

check: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cd src && $(abspath $(BIN))/lint-imports --no-cache --config ../pyproject.toml

bench: $(STAMP)
	$(BIN)/python -m benchmarks

neo4j: $(STAMP)
	@$(BIN)/clausegraph server neo4j --folder .neo4j $(NEO4J_ARGS)

airflow: $(STAMP)
	@$(BIN)/clausegraph dags serve --folder .airflow $(AIRFLOW_ARGS)

stop:
	@test ! -x $(BIN)/clausegraph || $(BIN)/clausegraph server stop --folder .neo4j
	@test ! -x $(BIN)/clausegraph || $(BIN)/clausegraph dags stop --folder .airflow
	@test ! -x $(BIN)/clausegraph || sh examples/demo-team.sh "$(abspath $(BIN))" "$(abspath $(DEMO_HOME)-team)" stop

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -c 'import sys; sys.exit("ClauseGraph needs Python 3.11 or newer" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev,airflow]'
	touch $(STAMP)

clean: stop
	rm -rf $(VENV) $(DEMO_HOME) $(DEMO_HOME)-llm $(DEMO_HOME)-team build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis
