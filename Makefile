# Two commands do everything on a machine that has python3 (with venv), git and make:
#   make demo    create .venv, install, show the main job
#   make test    install what tests need, run every check
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip --disable-pip-version-check --quiet

.PHONY: demo test lint types layers unit browser speed bare wheel quick accuracy docs bench big votes golden clean

demo: $(VENV)/.installed
	$(BIN)/goldless demo

test: lint types layers unit speed bare wheel quick

lint: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(VENV)/.installed-dev
	$(BIN)/mypy

layers: $(VENV)/.installed-dev
	$(BIN)/lint-imports

unit: $(VENV)/.installed-dev browser
	$(BIN)/python -m pytest --cov --cov-report=term

# The report is looked at in Chromium. Where it is missing and cannot be installed, these tests are skipped, but in CI.
browser:
	@command -v chromium >/dev/null || { test "$$(id -u)" = 0 && apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null; } || \
	  echo "There is no chromium: the tests of the report in a browser are skipped."

# Compares ratios, in processor time on one core: other work on the machine does not show.
speed: $(VENV)/.installed-dev
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/speed.py --check

# A user's machine: no extras, no test tools, the wheel rather than the source tree.
wheel: $(VENV)/.wheel
$(VENV)/.wheel: pyproject.toml README.md LICENSE $(shell find src experiments -type f -not -name '*.pyc' -not -path '*/results/*') | $(VENV)/.installed-dev
	rm -rf dist
	$(BIN)/python -m build --wheel >/dev/null
	touch $@

bare: $(VENV)/.wheel
	test -x $(VENV)/bare/bin/python || $(PYTHON) -m venv $(VENV)/bare
	$(VENV)/bare/bin/python -m pip --disable-pip-version-check --quiet install --force-reinstall --no-deps dist/*.whl
	$(VENV)/bare/bin/python -m pip --disable-pip-version-check --quiet install dist/*.whl
	cd $(VENV) && bare/bin/python -W error ../.ci/bare.py

# The paper's figures and tables in their quick form, from the wheel; those that read data where the data are.
UCI := $(wildcard $(abspath ../shared/data/uci))
OBJECTS := $(if $(UCI),all,fig1a fig1b fig2 fig3 fig4 tensor)
quick: $(VENV)/.wheel
	test -x $(VENV)/wheel/bin/python || $(PYTHON) -m venv $(VENV)/wheel
	$(VENV)/wheel/bin/python -m pip --disable-pip-version-check --quiet install --force-reinstall --no-deps dist/*.whl
	$(VENV)/wheel/bin/python -m pip --disable-pip-version-check --quiet install "$$(ls dist/*.whl)[reproduce]"
	rm -rf $(VENV)/reproduction
	cd $(VENV) && for object in $(OBJECTS); do \
	wheel/bin/goldless reproduce $$object --quick $(if $(UCI),--data $(UCI)) -o reproduction || exit 1; done

accuracy: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/accuracy.py

# The page on the command line is what the commands say.
docs: $(VENV)/.installed-dev
	$(BIN)/python docs/write_cli.py

bench: $(VENV)/peers/.installed
	$(VENV)/peers/bin/python benchmarks/speed.py

# Twenty million samples on two workers: needs 8 GB of disk, and a quarter of an hour.
big: $(VENV)/.installed-dev
	OMP_NUM_THREADS=1 $(BIN)/python benchmarks/big.py

# Peers to compare with need more than the tests do, and have an environment of their own. crowd-kit asks for
# transformers, which its rules for votes do not use.
votes: $(VENV)/peers/.installed
	$(VENV)/peers/bin/python benchmarks/votes.py

golden: $(VENV)/peers/.installed
	$(VENV)/peers/bin/python benchmarks/golden_crowdkit.py

$(VENV)/peers/.installed: pyproject.toml
	test -x $(VENV)/peers/bin/python || $(PYTHON) -m venv $(VENV)/peers
	$(VENV)/peers/bin/python -m pip --disable-pip-version-check --quiet install --editable . attrs nltk pandas polars pyarrow tqdm
	$(VENV)/peers/bin/python -m pip --disable-pip-version-check --quiet install --no-deps crowd-kit==1.4.2
	touch $@

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

$(VENV)/.installed: pyproject.toml | $(BIN)/python
	$(PIP) install --editable '.[cli,report]'
	touch $@

# pip reads dependency groups only since 25.1, which a fresh venv may not have.
$(VENV)/.installed-dev: pyproject.toml $(VENV)/.installed
	$(PIP) install --upgrade 'pip>=25.1'
	$(PIP) install --group dev
	$(PIP) install --editable '.[reproduce]'
	touch $@

clean:
	rm -rf $(VENV) dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .coverage .import_linter_cache
