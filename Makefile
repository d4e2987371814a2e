# `make demo` and `make test` need only Python 3.11 or newer: they make their own environment in .venv.
PYTHON ?= python3
BIN := .venv/bin
# Examples of one page build on each other, so a file stays on one worker.
TESTS := -n auto --dist loadfile

.PHONY: demo test check lint types layers mutants statistics bench bench-peers oracles clean

demo: .venv/ready
	$(BIN)/dp demo

test: .venv/ready
	$(BIN)/pytest $(TESTS)

check: lint types layers test

lint: .venv/ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: .venv/ready
	$(BIN)/mypy

layers: .venv/ready
	$(BIN)/lint-imports

# Mistakes planted in the source one by one: a test must fail on each. Some minutes.
mutants: .venv/ready
	$(BIN)/python -m tests.mutants

# The same laws over many more draws and examples: minutes, not seconds.
statistics: .venv/ready
	DP_DRAWS=100000000 HYPOTHESIS_PROFILE=thorough $(BIN)/pytest $(TESTS) tests

# Side by side with numpy, OpenDP and dp-accounting, one run; writes bench/results.json.
bench: .venv/ready bench-peers
	$(BIN)/python bench/run.py --peers .venv-peers/bin/python

bench-peers: .venv-peers/ready

# The values that tests/accounting/dp_accounting.json holds, computed anew by the peer.
oracles: bench-peers
	.venv-peers/bin/python bench/oracles.py > .oracles.json
	mv .oracles.json tests/accounting/dp_accounting.json

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade 'pip>=25.1'
	$(BIN)/python -m pip install --quiet --editable . --group test --group check
	touch $@

.venv-peers/ready: bench/peers.txt
	$(PYTHON) -m venv .venv-peers
	.venv-peers/bin/python -m pip install --quiet --requirement bench/peers.txt
	touch $@

clean:
	rm -rf .venv .venv-peers .mypy_cache .ruff_cache .pytest_cache .hypothesis
