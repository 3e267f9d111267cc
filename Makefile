# One virtual environment, made by the first target that needs it.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
DATA ?= $(ENPDA_DATA)
PROFILE ?= quick
SOURCES := pyproject.toml CMakeLists.txt $(shell find native src bench -name '*.[ch]pp' -o -name '*.py' -o -name '*.pyi' -o -name "*.csv" -o -name '*.cu')

.PHONY: help demo quick test unit bench bench-check paper lint format stubs sanitize fuzz docs pictures clean

help:  ## Show what can be made
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed 's/:.*## /\t/' | expand -t 12

$(VENV)/installed: $(SOURCES)
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --config-settings=cmake.define.ENPDA_WERROR=$(if $(CI),ON,OFF) '.[test]' ./bench
	touch $@

demo: $(VENV)/installed  ## Install and match two real drugs
	$(BIN)/enpda demo --out demo-output

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
bench-check: $(VENV)/installed  ## Compare speed and answers with another commit, by turns (AGAINST=COMMIT, DATA=DIR)
	rm -rf $(OTHER) && mkdir -p $(OTHER) && git archive $(AGAINST) | tar -x -C $(OTHER)
	$(PYTHON) -m venv $(OTHER)/.venv && $(OTHER)/.venv/bin/pip install --quiet $(OTHER)
	$(BIN)/enpda bench turns $(OTHER)/.venv/bin/python $(if $(DATA),--data $(DATA))

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
	rm -rf $(VENV) $(SANITIZED) $(SITE) build site .cache demo-output
