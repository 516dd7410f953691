# On a fresh machine nothing but Python 3.11 or newer and make is needed: the environment is made in .venv.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt

.DEFAULT_GOAL := help
.PHONY: help demo test check format bench pictures docs soak constraints clean

help:  ## Say what can be made
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/runtime  ## Run a loop offline, stop it, resume it and draw it; needs no key
	@$(BIN)/python examples/demo.py

test: check  ## Run everything that must hold: style, types, tests, documents, notebooks
	@$(BIN)/python -m pytest -n auto --maxprocesses 8

check: $(VENV)/development  ## Check style and types
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@$(BIN)/mypy

format: $(VENV)/development  ## Put the code into its form
	@$(BIN)/ruff format .
	@$(BIN)/ruff check --fix .

bench: $(VENV)/runtime  ## Measure time and size
	@for program in benchmarks/*.py; do echo "$$program"; $(BIN)/python "$$program" || exit 1; done

pictures: $(VENV)/runtime  ## Make what the documents show of the product anew: pictures, commands, fields, findings
	@$(BIN)/python docs/make.py
	@$(BIN)/python docs/reference.py

docs: $(VENV)/development  ## Build the documents as a site, in build/docs
	@$(BIN)/python -m sphinx --fresh-env --fail-on-warning --keep-going --quiet docs build/docs
	@echo "Open build/docs/index.html"

soak: $(VENV)/development  ## Run the long tests, and say what they counted
	@$(BIN)/python -m pytest -m soak -s

constraints:  ## Renew constraints.txt from the newest versions that pyproject.toml allows
	@$(PYTHON) -m venv --clear $(VENV)-constraints
	@$(VENV)-constraints/bin/python -m pip install --quiet --disable-pip-version-check -e '.[dev,notebook,png]'
	@echo '# Made by `make constraints`: the versions that the tests run with.' > constraints.txt
	@$(VENV)-constraints/bin/python -m pip freeze --exclude-editable >> constraints.txt
	@rm -rf $(VENV)-constraints

clean:  ## Remove the environment and all caches
	@rm -rf $(VENV) $(VENV)-constraints .mypy_cache .ruff_cache .pytest_cache .hypothesis dist build

$(BIN)/pip:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is missing or older than Python 3.11: name a newer one, as in make PYTHON=python3.12 $(MAKECMDGOALS)"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || \
	  { echo "$(PYTHON) has no venv: install it (on Debian and Ubuntu the package python3-venv)"; exit 1; }
	@$(PYTHON) -m venv $(VENV)

$(VENV)/runtime: $(BIN)/pip pyproject.toml constraints.txt
	@echo "Installing what loopwright needs into $(VENV)"
	@$(PIP) --editable .
	@touch $@

$(VENV)/development: $(BIN)/pip pyproject.toml constraints.txt
	@echo "Installing what loopwright and its tests need into $(VENV)"
	@$(PIP) --editable '.[dev,notebook,png]'
	@touch $@ $(VENV)/runtime
