# `make` lists the targets. Arguments for the program behind a target: make prove ARGS="--families 2"

ARGS ?=
BIN := .venv/bin

# Python keeps what it compiled, in .venv and beside the sources: tests start it a thousand times.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help setup prove test test-all replay lint bench compare machines misra kernels vectors check report clean
.DEFAULT_GOAL := help

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-9s%s\n", $$1, $$2 }' Makefile

setup: ## prepare this machine (every target below that needs it does it)
	@sh sonnx_formal/cli/setup/bootstrap.sh

prove: setup ## prove every goal of the formal library
	@$(BIN)/sonnx-formal prove $(ARGS)

# Each of the thousand programs that it starts would spend a third of its start on threads for products
# of large matrices.
test: export OPENBLAS_NUM_THREADS ?= 1
test: setup ## run the test suite, but for what takes long
	@$(BIN)/python -m pytest --numprocesses auto -m "not long" $(ARGS)

test-all: setup ## run all of it
	@$(BIN)/python -m pytest --numprocesses auto $(ARGS)

replay: setup ## re-check the committed certificate, deterministically
	@$(BIN)/sonnx-formal prove --replay $(ARGS)

lint: setup ## check style, types and which package may import which
	@$(BIN)/ruff check
	@$(BIN)/ruff format --check
	@$(BIN)/mypy
	@$(BIN)/lint-imports

bench: setup ## measure driver and arithmetic against others (ARGS=driver, floats, kernels)
	@$(BIN)/python -m tests.benchmarks $(ARGS)

compare: setup ## compare the floating-point arithmetic with MPFR and SoftFloat (minutes)
	@$(BIN)/python -m tests.theories.compare_floats $(ARGS)

machines: setup ## run libsonnx on other processors, by qemu, and by other compilers (minutes)
	@$(BIN)/python -m tests.kernels.machines $(ARGS)

misra: setup ## hold libsonnx against the rules of MISRA C:2012 that cppcheck knows
	@$(BIN)/python -m tests.kernels.misra $(ARGS)

kernels: setup ## write libsonnx, the operators in C as Why3 extracts them (into build/libsonnx)
	@$(BIN)/sonnx-formal kernels $(ARGS)

vectors: setup ## derive test vectors from the definitions (into build/vectors)
	@$(BIN)/sonnx-formal vectors $(ARGS)

check: setup ## cross-check implementations with the definitions (minutes with every runtime)
	@$(BIN)/sonnx-formal check $(ARGS)

report: export SOURCE_DATE_EPOCH ?= $(shell git log -1 --format=%ct 2>/dev/null)
report: setup ## write the evidence report (into build/report; minutes)
	@$(BIN)/sonnx-formal report $(ARGS)

clean: ## remove build outputs and caches (.venv stays; a stale one is remade by itself)
	@rm -rf build .hypothesis .mypy_cache .pytest_cache .ruff_cache
	@find sonnx_formal tests -type d -name __pycache__ -prune -exec rm -rf {} +
