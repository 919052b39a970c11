# Every target sets up what it needs (.venv, the native build, Java for Spark) the first time: see tools/setup_env.sh.

SCALE ?= 1
PYTEST_ARGS ?=
FUZZ_ARGS ?= --seconds 60
BENCH_ARGS ?=

VENV := .venv
RUN := . $(VENV)/environment && $(VENV)/bin/python

.DEFAULT_GOAL := help
.PHONY: help demo test fuzz lint format bench bench-encode bench-protocol bench-peers bench-log bench-spark build clean setup-demo setup-dev

help:  ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

setup-demo:
	@sh tools/setup_env.sh demo

setup-dev:
	@sh tools/setup_env.sh dev

demo: setup-demo  ## export a real Kafka log directory to Parquet and draw its report (SCALE=20: twenty times as much)
	@$(RUN) examples/demo.py --scale $(SCALE)

test: setup-dev  ## linters, types, the whole test suite, once per backend, a minute of mutants (PYTEST_ARGS="-k name")
	@$(RUN) tools/check.py all -- $(PYTEST_ARGS)

fuzz: setup-dev  ## mutants on both backends and on Kafka's own classes (FUZZ_ARGS="--mutants 1000000 --seed 1")
	@$(RUN) fuzz/run.py $(FUZZ_ARGS)

lint: setup-dev  ## linters, types and import layers only
	@$(RUN) tools/check.py lint

format: setup-dev  ## format the Python files in place
	@$(RUN) -m ruff format .
	@$(RUN) -m ruff check --fix .

bench: setup-dev  ## speed against aiokafka and a plain C loop, ratios printed (BENCH_ARGS="-k json")
	@$(RUN) benchmarks/ratios.py --run $(BENCH_ARGS)

bench-encode: setup-dev  ## speed of writing batches against aiokafka (BENCH_ARGS="-k small")
	@$(RUN) benchmarks/encode_ratios.py $(BENCH_ARGS)

bench-protocol: setup-dev  ## speed of messages against kio, kafka-python and aiokafka (BENCH_ARGS="-k Metadata")
	@$(RUN) benchmarks/protocol_ratios.py $(BENCH_ARGS)

bench-peers: setup-dev  ## speed against Rust's, Go's and Java's codecs (needs cargo, go, mvn; leaves out what is missing)
	@$(RUN) benchmarks/peers/compare.py $(BENCH_ARGS)

bench-log: setup-dev  ## speed on log directories beside Kafka's own tools and classes (needs a JDK and Maven; an hour)
	@for what in verify dump recover compact append grep export; do echo "== $$what"; $(RUN) benchmarks/$${what}_ratios.py || exit 1; done

bench-spark: setup-dev  ## speed against Spark's own Kafka source: starts a real broker (needs Maven)
	@$(RUN) benchmarks/spark/compare.py

build: setup-dev  ## source distribution and wheel, in dist/
	@$(RUN) -m build

clean:  ## remove whatever the targets above made, .venv included
	rm -rf $(VENV) .cache demo-out dist build src/*.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis \
		.benchmarks .import_linter_cache spark-warehouse metastore_db derby.log
	find src tests benchmarks examples tools -name __pycache__ -type d -prune -exec rm -rf {} +
	rm -f src/kafkacodec/_native/*.so src/kafkacodec/_native/*.pyd
	find src/kafkacodec/_native -name '*.pyx' | sed 's/pyx$$/c/' | xargs rm -f
