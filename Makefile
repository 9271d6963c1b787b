# `make example` shows what a pull request does, `make test` runs everything that must hold.
# Both need Python 3.10+, git and make, and set up the rest themselves.
.PHONY: example test check unit docs codes golden mutate bench bench-quick fuzz lab dist release-check requirements site clean

PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
READY  := $(VENV)/.ready

# The program and Helm, for the chart in it, without the tools of its tests.
example: $(VENV)/.installed
	@$(BIN)/python scripts/example.py

$(VENV)/.installed: pyproject.toml
	@test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[helm]'
	@$(BIN)/python -m compileall -q linter rules  # once, where Python is told to write no bytecode, too
	@touch $@

test: check unit

check: $(READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	@rm -rf .types && $(BIN)/pip install --quiet --disable-pip-version-check --no-deps --target .types .; rm -rf build
	cd .types && MYPYPATH=. ../$(BIN)/mypy --config-file ../pyproject.toml -p gitops_lint

unit: $(READY)
	$(BIN)/python -m pytest --numprocesses auto --dist worksteal

docs: $(READY)
	$(BIN)/python scripts/make_docs.py
	$(BIN)/python scripts/make_limits.py

codes: $(READY)
	@$(BIN)/python scripts/free_codes.py

golden: $(READY)
	$(BIN)/python -m pytest tests/project/test_golden.py tests/rules/test_rule_cases.py --update

mutate: $(READY)
	$(BIN)/python scripts/mutate.py --only '$(ONLY)' $(if $(ALL),--sample 0 --engine 0) $(if $(SEED),--seed $(SEED)) $(if $(QUICK),--quick) $(if $(OF),--of $(OF))

bench: $(READY)
	$(BIN)/python $(if $(TREES),scripts/bench_trees.py $(TREES) $(if $(KEEP),--keep),scripts/bench.py $(TREE))

bench-quick: $(READY)
	$(BIN)/python scripts/bench_trees.py --quick $(if $(KEEP),--keep)

fuzz: $(READY)
	$(BIN)/python scripts/fuzz.py $(or $(SECONDS),600)

# A real Argo CD, see docs/lab.md. Needs Go and redis-server; nothing else here does.
lab: $(READY)
	cd tests && ../$(BIN)/python -m lab record $(if $(ARGOCD),--argocd $(ARGOCD)) $(if $(KUBERNETES),--kubernetes $(KUBERNETES)) $(if $(JOBS),--jobs $(JOBS)) $(RULES)

dist: $(READY)
	rm -rf build dist
	$(BIN)/python scripts/make_dist.py dist

release-check: $(READY)
	$(BIN)/python scripts/release_check.py

# What the Action installs, every package with its sum; after a change of pyproject.toml, and now and then.
requirements:
	$(PYTHON) scripts/make_requirements.py

site: $(VENV)/.site
	$(BIN)/mkdocs build

$(VENV)/.site: $(READY)
	$(BIN)/pip install --quiet --disable-pip-version-check 'mkdocs-material>=9.5,<10'
	touch $@

$(READY): pyproject.toml
	test -d $(VENV) || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	$(BIN)/python -m compileall -q linter rules
	touch $(READY)

clean:
	rm -rf $(VENV) .types build dist *.egg-info
