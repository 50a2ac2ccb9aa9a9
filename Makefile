# What a person types here. `make demo` and `make test` set up what they need themselves; `make check` is what CI runs.
#
# The tests and the demo start private Postgres servers; scripts/postgres.sh finds the programs, or installs them.
# Tests use the server of IDEMGEN_TEST_DATABASE_URL instead, where that is set. The race detector needs a C compiler:
# scripts/compiler.sh. Where no server programs can be had, the demo runs on SQLite: scripts/demo.sh.

SHELL := bash
.SHELLFLAGS := -euo pipefail -c
MAKEFLAGS += --no-print-directory
.DEFAULT_GOAL := help

# Tools of fixed versions and built programs, out of git and of everyone's way.
BIN := $(CURDIR)/.tmp/bin
# The packages with Go code of this module, as the go command takes them.
PACKAGES := ./...
# Those that parse, type-check and compile all the time, for which the race detector takes five times as long. What is concurrent in
# them is tested with it.
COMPILING := /(generator|vet|cmd/idemgen|scripts/mutants)$$
# The package whose tests wait for databases and clocks most of their time: more of them side by side, and nothing else beside them, because
# what they wait for has limits of its own.
WAITING := /internal/scenarios$$

.PHONY: help
help: ## Say what there is to make
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## Retry storms against a payment service: by hand, with idemgen, and with a server killed
	@mkdir -p $(BIN)
	@go generate ./examples/payments
	@exec scripts/demo.sh $(BIN)

.PHONY: test
test: ## Run all tests, on a Postgres of their own; with the race detector, where goroutines share something
	@scripts/compiler.sh
	@[[ -n "$${IDEMGEN_TEST_DATABASE_URL:-}" ]] || { IDEMGEN_POSTGRES_BIN=$$(scripts/postgres.sh); export IDEMGEN_POSTGRES_BIN; }; \
		some() { go list $(PACKAGES) | { grep -E "$$@" || true; }; }; \
		some -v '$(COMPILING)|$(WAITING)' | xargs -r go run ./scripts/gotest -race -count=1 -timeout 15m; \
		some '$(WAITING)' | xargs -r go run ./scripts/gotest -race -count=1 -timeout 15m -parallel 4; \
		some '$(COMPILING)' | xargs -r go run ./scripts/gotest -count=1 -timeout 15m
	@go test -race -count=1 -timeout 5m ./generator -run 'TestGolden$$|Overtaken'
	@cd vet/golangci && GOWORK=off go test -count=1 -timeout 5m ./...
	@$(MAKE) codecs
	@$(MAKE) lab sqlite

# The codecs that have dependencies, each a module of its own.
CODECS := idem/codec/zstd idem/codec/protobuf

.PHONY: codecs
codecs: ## Test the codecs that are modules of their own
	@for m in $(CODECS); do (cd $$m && GOWORK=off go vet ./... && GOWORK=off go test -race -count=1 -timeout 5m ./...); done

.PHONY: lab
lab: ## Does what is said of types hold for their values, with other people's types and random ones? Do wrapped servers serve?
	@cd lab && GOWORK=off go vet ./... && GOWORK=off go test -v -count=1 -timeout 5m . -rapid.seed=1 && GOWORK=off go test -count=1 -timeout 5m ./servers/...
	@[[ -n "$${IDEMGEN_TEST_DATABASE_URL:-}" ]] || { IDEMGEN_POSTGRES_BIN=$$(scripts/postgres.sh); export IDEMGEN_POSTGRES_BIN; }; \
		cd lab && GOWORK=off go test -race -count=1 -timeout 5m ./layers/...

.PHONY: sqlite
sqlite: ## Does the store on SQLite keep its promises, with the drivers that people use, in many processes?
	@echo "== sqlite: the store on SQLite, its drivers, several processes on one file"
	@cd lab/sqlite && GOWORK=off go vet ./... && GOWORK=off go test -count=1 -timeout 10m ./...

# Only what is the store's own concurrency: both conformance suites, on one driver. The drivers are C made into Go, whose every access to
# memory is checked; all settings of both drivers took more than ten minutes on two busy cores, and this is under one, without compiling.
.PHONY: race-sqlite
race-sqlite: ## The same with the race detector (minutes, most of them for compiling the driver)
	@cd lab/sqlite && GOWORK=off go test -race -count=1 -timeout 10m -run 'KeepsEveryPromise/modernc$$' .

.PHONY: bench-sqlite
bench-sqlite: ## Measure calls on SQLite against calls on Postgres, in one run (a minute; better with nothing else running)
	@[[ -n "$${IDEMGEN_POSTGRES_BIN:-}" ]] || { IDEMGEN_POSTGRES_BIN=$$(scripts/postgres.sh); export IDEMGEN_POSTGRES_BIN; }; \
		cd lab/sqlite && GOWORK=off go test -timeout 10m -run '^$$' -bench AgainstPostgres -benchtime 3s .

.PHONY: servers
servers: $(BIN)/gofumpt ## Make the servers in lab/ again with the generators that people use, and their wrappers; needs protoc
	@lab/servers/generate.sh
	@$(BIN)/gofumpt -w $$(find lab/servers -name '*.pb.go' -o -name '*.connect.go' -o -name '*.gen.go')
	@$(MAKE) generate

FUZZTIME ?= 20s
.PHONY: fuzz
fuzz: ## Fuzz annotations, expressions, idem.lock and codecs, each for FUZZTIME (20s), and judge other random types than make test does
	@for target in FuzzAnnotations FuzzExpressions; do \
		echo "== $$target"; go test ./generator -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME); done
	@echo "== idem.lock"; go test ./internal/lock -run '^$$' -fuzz '^FuzzParse$$' -fuzztime $(FUZZTIME)
	@for target in FuzzEncrypted FuzzGob; do \
		echo "== $$target"; go test ./idem/codec -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME); done
	@for m in $(CODECS); do echo "== $$m"; (cd $$m && GOWORK=off go test . -run '^$$' -fuzz Fuzz -fuzztime $(FUZZTIME)); done
	@echo "== random types"; cd lab && GOWORK=off go test -v -count=1 -timeout 10m . -run 'RandomTypes|Fingerprints' -seed=0

.PHONY: migrations
migrations: ## Do goose, golang-migrate, dbmate, tern and atlas apply what idemgen init writes?
	@echo "== migrations: the real tools apply the files of idemgen init, and take them back"
	@[[ -n "$${IDEMGEN_TEST_DATABASE_URL:-}" ]] || { IDEMGEN_POSTGRES_BIN=$$(scripts/postgres.sh); export IDEMGEN_POSTGRES_BIN; }; \
		cd lab/migrations && GOWORK=off go test -count=1 -timeout 10m .

.PHONY: check
check: lint current imports test-setup demo test ## Everything that CI runs

.PHONY: mutants
mutants: ## Take one protection after the other away, and see that the tests named for it fail
	@[[ -n "$${IDEMGEN_TEST_DATABASE_URL:-}" ]] || { IDEMGEN_POSTGRES_BIN=$$(scripts/postgres.sh); export IDEMGEN_POSTGRES_BIN; }; \
		go run ./scripts/mutants

.PHONY: bench-generate
bench-generate: ## Measure the generator against moq, mockery and goverter (minutes; better with nothing else running)
	@go run ./bench/generate

.PHONY: scenarios
scenarios: ## Write the names of the tests into docs/scenarios.md
	@go test ./docs -run Scenarios -update

.PHONY: generate
generate: ## Make all generated code again: the wrappers, and the Go of the SQL
	@go generate $(PACKAGES)
	@go build -o $(BIN)/ ./cmd/idemgen && cd lab && GOWORK=off $(BIN)/idemgen ./...
	@$(MAKE) sql

.PHONY: golden
golden: ## Take what the generator now writes for testdata/ as what it should write; review the diff
	@go test ./generator -run Golden -update

.PHONY: examples
examples: ## Take what the examples of the diagnostics now say, and write docs/diagnostics.md; review the diff
	@go test ./cmd/idemgen -run DiagnosticsOfExamples -update
	@go test ./cmd/idemgen -run DiagnosticsPage -page

.PHONY: lint
lint: $(BIN)/gofumpt $(BIN)/staticcheck ## Formatting, vet, staticcheck, go.mod
	@echo "== gofumpt: one way to write Go, so that diffs show changes only"
	@files=$$($(BIN)/gofumpt -l .); [[ -z $$files ]] || { echo "not formatted (make fmt):"; echo "$$files"; exit 1; }
	@echo "== go vet: what the compiler lets pass and should not"
	@go vet $(PACKAGES)
	@echo "== staticcheck: mistakes, dead code, misleading names"
	@$(BIN)/staticcheck $(PACKAGES)
	@echo "== go mod tidy: go.mod names what is imported, no more and no less"
	@go mod tidy -diff
	@cd tools/lint && go mod tidy -diff
	@cd lab && GOWORK=off go mod tidy -diff
	@cd lab/migrations && GOWORK=off go mod tidy -diff
	@cd lab/sqlite && GOWORK=off go mod tidy -diff
	@cd vet/golangci && GOWORK=off go mod tidy -diff
	@for m in $(CODECS); do (cd $$m && GOWORK=off go mod tidy -diff && $(BIN)/staticcheck ./...); done

.PHONY: fmt
fmt: $(BIN)/gofumpt ## Format all Go code
	@$(BIN)/gofumpt -w .

.PHONY: current
current: $(BIN)/sqlc ## Is the generated code what its sources make now?
	@echo "== idemgen -check: every wrapper in this repository is what its annotations ask for"
	@go tool idemgen -check $(PACKAGES)
	@go build -o $(BIN)/ ./cmd/idemgen && cd lab && GOWORK=off $(BIN)/idemgen -check ./...
	@echo "== sqlc diff: the Go of the SQL is what the SQL makes"
	@$(BIN)/sqlc diff

.PHONY: imports
imports: ## Do imports go one way, and does the runtime need the standard library only?
	@echo "== imports: cmd → generator → templates; cmd → claims → stores → idem → the standard library"
	@scripts/imports.sh

.PHONY: test-setup
test-setup: ## Is Postgres found, and installed where it is missing?
	@echo "== test-setup: finding Postgres's server programs, and installing them"
	@scripts/test-setup.sh

.PHONY: sql
sql: $(BIN)/sqlc ## Make the Go of the SQL again
	@$(BIN)/sqlc generate

.PHONY: clean
clean: ## Remove what was built here
	@rm -rf .tmp

# Building sqlc takes minutes, most of them for a C parser that it can do without; so it is built once for each
# version, without cgo.
$(BIN)/sqlc: tools/go.mod tools/go.sum
	@echo "building sqlc (two minutes, once)"
	@cd tools && CGO_ENABLED=0 GOWORK=off go build -o $@ github.com/sqlc-dev/sqlc/cmd/sqlc
	@touch $@

$(BIN)/gofumpt: tools/lint/go.mod tools/lint/go.sum
	@cd tools/lint && GOWORK=off go build -o $@ mvdan.cc/gofumpt
	@touch $@

$(BIN)/staticcheck: tools/lint/go.mod tools/lint/go.sum
	@cd tools/lint && GOWORK=off go build -o $@ honnef.co/go/tools/cmd/staticcheck
	@touch $@
