# Quayside. 'make help' lists the targets.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
MAKEFLAGS += --no-print-directory
# The binary, the tests and the linters use the same flags, so that every package is compiled
# only once, and once more with the race detector.
export GOFLAGS := $(filter-out -trimpath,$(shell go env GOFLAGS)) -trimpath
WEB_SOURCES := $(shell find web/src web/public -type f) web/index.html web/package.json web/tsconfig.json web/vite.config.ts

.PHONY: help packages services services-stop dev build web-check web-unit web-lint web-test docs-site browser pictures conformance test test-race test-plain faults fuzz fuzz-quick \
	bench bench-costs bench-memory bench-compare bench-query bench-definitions bench-orders bench-views bench-queue bench-quotas bench-sweeps bench-quick bench-floor mutants judge judge-queue lint gen generated api-check api-promise check check-all tools fmt \
	release-snapshot release-inputs release-tools release-files release-compose release-image \
	release-package release-newcomer release-twice release-check release-build supply

TOOLS := .bin
# renovate: github.com/sqlc-dev/sqlc
SQLC_VERSION := v1.31.1
# renovate: github.com/golangci/golangci-lint/v2
GOLANGCI_VERSION := v2.14.0
SQUAWK_VERSION := 2.66.0
# renovate: github.com/oasdiff/oasdiff
OASDIFF_VERSION := v1.30.0
# renovate: golang.org/x/vuln
GOVULNCHECK_VERSION := v1.8.0
# renovate: github.com/goreleaser/goreleaser/v2
GORELEASER_VERSION := v2.13.3
# renovate: github.com/google/ko
KO_VERSION := v0.19.1
# renovate: github.com/google/go-containerregistry
CRANE_VERSION := v0.21.7

# The tools are compiled without optimisations, in less than half of the time: they run for seconds. The analysers of
# golangci-lint and the standard library, which all commands share, are optimised.
HASTY := -ldflags='-s -w' -gcflags='all=-N -l' -gcflags=std=
HASTY_LINT := $(HASTY) -gcflags=golang.org/x/tools/...= -gcflags=honnef.co/go/tools/...= -gcflags=github.com/securego/gosec/...=
# They are built one after the other, since each uses all processors: at the same time they would compile what they
# share more than once.
GO_INSTALL = GOBIN=$(CURDIR)/$(TOOLS) flock $(TOOLS) go install

SQLC := $(TOOLS)/sqlc-$(SQLC_VERSION)
GOLANGCI := $(TOOLS)/golangci-lint-$(GOLANGCI_VERSION)
OASDIFF := $(TOOLS)/oasdiff-$(OASDIFF_VERSION)
GOVULNCHECK := $(TOOLS)/govulncheck-$(GOVULNCHECK_VERSION)
GORELEASER := $(TOOLS)/goreleaser-$(GORELEASER_VERSION)
KO := $(TOOLS)/ko-$(KO_VERSION)
CRANE := $(TOOLS)/crane-$(CRANE_VERSION)
REPORT := $(TOOLS)/report
SQUAWK := $(TOOLS)/squawk-$(SQUAWK_VERSION)/node_modules/.bin/squawk

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-14s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

services: ## start a private PostgreSQL and print its environment: eval "$$(make -s services)"
	@scripts/postgres start

services-stop: ## stop it; the data stays ('scripts/postgres drop' deletes it)
	@scripts/postgres stop

dev: build ## migrate the private PostgreSQL and serve on it
	@environment=$$(scripts/postgres start) && eval "$$environment" && bin/quayside migrate && exec env -u QUAYSIDE_MIGRATE_URL bin/quayside serve

build: web/dist/index.html docs/dist/index.html ## build bin/quayside with the web app and the documentation in it
	@go build -o bin/quayside ./cmd/quayside

web/dist/index.html: $(WEB_SOURCES) web/node_modules/.package-lock.json
	@mkdir -p $(TOOLS)
	@if command -v npm >/dev/null; then cd web && npm run --silent build > ../$(TOOLS)/web.log 2>&1 || { cat ../$(TOOLS)/web.log; exit 1; }; \
	  else echo "no npm here: the binary comes without the web app" >&2; fi

web/node_modules/.package-lock.json: web/package-lock.json
	@mkdir -p $(TOOLS)
	@if command -v npm >/dev/null; then cd web && npm ci --loglevel=error && touch node_modules/.package-lock.json; fi

# VitePress fails on a link to a page that does not exist.
docs/dist/index.html: $(wildcard docs/*.md docs/decisions/*.md docs/guide/*.md docs/pictures/*.png docs/.vitepress/*.ts docs/.vitepress/theme/*) docs/node_modules/.package-lock.json
	@mkdir -p $(TOOLS)
	@if command -v npm >/dev/null; then cd docs && npm run --silent build > ../$(TOOLS)/docs.log 2>&1 || { cat ../$(TOOLS)/docs.log; exit 1; }; fi

docs/node_modules/.package-lock.json: docs/package-lock.json
	@if command -v npm >/dev/null; then cd docs && npm ci --loglevel=error && touch node_modules/.package-lock.json; fi

web-check: web-unit browser ## the web app: lint, unit tests, size, and the browser on the built binary

web-unit: web/dist/index.html ## the web app's lint, unit tests and size
	@$(MAKE) -j2 -O web-lint web-test
	@cd web && npm run --silent size

web-lint:
	@cd web && npm run --silent lint

web-test:
	@cd web && npm test --silent

docs-site: docs/dist/index.html ## the documentation as the binary serves it; fails on a broken link

browser: build ## the browser tests on the built binary
	@cd web && npm run --silent e2e

pictures: build ## take the README's pictures, in both themes
	@cd web && PICTURES=1 npx playwright test --project=app e2e/app/pictures.spec.ts

conformance: test/conformance/node_modules/.package-lock.json ## the MCP project's conformance suite on the built binary
	@go test -count=1 ./test/conformance

test/conformance/node_modules/.package-lock.json: test/conformance/package-lock.json
	@cd test/conformance && npm ci --loglevel=error && touch node_modules/.package-lock.json

# The linter includes vet. 'go test' leaves debug information out by itself unless it keeps the binary.
GO_TEST := go test -json -vet=off -timeout 30m

test: $(REPORT) ## all Go tests but the conformance suite and the day of faults, on a throwaway PostgreSQL
	@scripts/postgres with $(GO_TEST) $$(go list ./... | grep -vE "/test/(conformance|faults)$$") | $(REPORT) tests

# Which tests run with the race detector is said in a comment above them, or above the package
# clause of a test file: //race:detect. Both jobs together run every test once.
test-race: $(REPORT) test/conformance/node_modules/.package-lock.json ## the Go tests that run with the race detector
	@tests=$$($(REPORT) race detected) && scripts/postgres with $(GO_TEST) -race $$tests | $(REPORT) tests

test-plain: $(REPORT) ## all other Go tests
	@tests=$$($(REPORT) race undetected) && scripts/postgres with $(GO_TEST) $$tests | $(REPORT) tests

faults: ## a scripted day of faults under load, at most 15 minutes; CI runs a short one
	@QUAYSIDE_DAY=whole go test -count=1 -timeout 30m -v -run '^TestDay$$' ./test/faults

# test/report prints the results and times of checks.
$(REPORT): $(wildcard test/report/*.go)
	@mkdir -p $(TOOLS)
	@go build -o $@ ./test/report

FUZZ_TARGETS := demand/FuzzFinite ingest/FuzzDecode ingest/FuzzCoerce ingest/FuzzSanitize registry/FuzzCheckDefinition query/FuzzPlan \
	mend/FuzzApply mcpserver/FuzzArguments
# A number of inputs, not a duration: at the end of a duration, the fuzzing engine sometimes
# reports a false failure.
FUZZ_TIME ?= 100000x

fuzz: ## every fuzz target for FUZZ_TIME, guided by coverage, for which all packages are compiled once more
	@for target in $(FUZZ_TARGETS); do \
	  go test -vet=off ./internal/$${target%/*} -run '^$$' -fuzz "^$${target#*/}$$" -fuzztime $(FUZZ_TIME) > $(TOOLS)/fuzz.log 2>&1 || { cat $(TOOLS)/fuzz.log; exit 1; }; \
	  tail -1 $(TOOLS)/fuzz.log; done

# 50,000 random inputs take less processor time than compiling the packages for guidance, and more than guidance
# reaches in that time. They use processor time that waiting tests leave free.
fuzz-quick: ## every fuzz target with random inputs, not guided
	@mkdir -p $(TOOLS)/fuzz && for target in $(FUZZ_TARGETS); do \
	  package=$${target%/*} binary=$(CURDIR)/$(TOOLS)/fuzz/$${target%/*}.test; \
	  nice -n 19 go test -c -vet=off -o $$binary ./internal/$$package; \
	  (cd internal/$$package && nice -n 19 $$binary -test.run '^$$' -test.fuzz "^$${target#*/}$$" -test.fuzztime 50000x \
	    -test.fuzzcachedir $(CURDIR)/$(TOOLS)/fuzz/inputs > $(CURDIR)/$(TOOLS)/fuzz.log 2>&1) || { cat $(TOOLS)/fuzz.log; exit 1; }; \
	  echo "$$target: $$(grep execs $(TOOLS)/fuzz.log | tail -1)"; done

bench: ## the write path against plain tables: every ratio, about 20 minutes
	@go run ./test/load -root .

bench-costs: ## allow what a record costs now, in test/load/costs.json; say why in the commit
	@go run ./test/load -root . -quick -memory -floor throughput_64=0 -allow

bench-query: ## pages of a table of READ_ROWS rows against bare statements, and every filter and sort, about 20 minutes
	@go run ./test/load -root . -reads $(READ_ROWS)

READ_ROWS ?= 1000000

bench-definitions: ## a record where 1,000 companies have ten tables of twenty columns each, against one table each, about five minutes
	@go run ./test/load -root . -slice 1s -definitions 1000

bench-orders: ## the screens of ORDERS purchase orders of ten lines against bare statements, about ten minutes
	@go run ./test/load -root . -orders $(ORDERS)

ORDERS ?= 500000

bench-views: ## pages of the computed views of VIEW_LINES order lines, and what keeping them costs the write path, about ten minutes
	@go run ./test/load -root . -views $(VIEW_LINES) -articles $(VIEW_ARTICLES)

bench-queue: ## the procurement queue of 100,000 articles: all rows, pages, and a touched article, about ten minutes
	@go run ./test/load -root . -queue -views $(VIEW_LINES) -articles $(QUEUE_ARTICLES)

bench-quotas: ## what 50 exports and 200 slow filters of one company do to others who ingest, sign in and approve, about five minutes
	@go run ./test/load -root . -quotas $(QUOTA_ROWS) -slice 20s $(BENCH_FLAGS)

QUOTA_ROWS ?= 500000

bench-sweeps: ## the sweep of late records among 2 million lines that wait and 2 million open failures of 10,000 tenants, a few minutes
	@SWEEP_ROWS=2000000 SWEEP_TENANTS=10000 scripts/postgres with go test ./internal/ingest -run '^$$' -bench '^BenchmarkSweep$$' -benchtime 20x -timeout 30m -v

QUEUE_ARTICLES ?= 100000
VIEW_LINES ?= 2000000
VIEW_ARTICLES ?= 10000

bench-memory: ## the first five ratios with the data in memory: what processors cost, without the disk
	@go run ./test/load -root . -quick -memory

bench-compare: ## this checkout's service against the binary OLD, in turns: ratios new / old
	@go run ./test/load -root . -compare $(OLD) $(BENCH_FLAGS)

bench-quick: ## the ratios to plain tables, what a record costs, and pages of a smaller table and of smaller views: five to ten minutes
	@go run ./test/load -root . -quick $(BENCH_FLAGS)
	@go run ./test/load -root . -quick -reads 100000
	@go run ./test/load -root . -quick -views 60000 -articles 1000

mutants: ## plant known bugs one at a time and say which the tests catch; MUTANTS=list prints a line for each, ONLY=expression takes some
	@scripts/postgres with go run ./test/mutants $(if $(filter list,$(MUTANTS)),-list) -only '$(ONLY)'

judge: ## forecasts of known sales, by method: how far off they are, and how often stock lasts; under a minute
	@go run ./test/judge

judge-queue: ## a simulated year of ordering by the queue, against other ways to order; a few minutes. JUDGE_FLAGS="-page docs/accuracy.md" writes the page
	@go run ./test/judge/year $(JUDGE_FLAGS)

fmt: ## format the Go code
	@gofmt -w cmd internal test

lint: $(GOLANGCI) $(SQUAWK) ## gofmt, golangci-lint with go vet, and squawk on the migrations
	@unformatted=$$(gofmt -l cmd internal test); if [ -n "$$unformatted" ]; then echo "not formatted (make fmt):" $$unformatted; exit 1; fi
	@$(GOLANGCI) run ./...
	@$(SQUAWK) --assume-in-transaction --pg-version 15.0 internal/pg/migrations/*.sql

gen: $(SQLC) ## regenerate the schema dump, the query code, the API's description and the forecasts' accuracy
	@scripts/postgres with scripts/schema-dump > $(TOOLS)/schema.sql
	@mv $(TOOLS)/schema.sql internal/pg/schema.sql
	@$(SQLC) generate
	@go build -o bin/quayside ./cmd/quayside
	@bin/quayside openapi > $(TOOLS)/openapi.json
	@mv $(TOOLS)/openapi.json docs/openapi.json
	@scripts/llms > docs/llms.txt
	@go run ./test/judge -page docs/accuracy.md
	@$(MAKE) web/node_modules/.package-lock.json
	@cd web && npm run --silent api > ../$(TOOLS)/web.log 2>&1 || { cat ../$(TOOLS)/web.log; exit 1; }

api-check: $(OASDIFF) ## fail on a change of the API that breaks somebody who uses it
	@OASDIFF=$(OASDIFF) scripts/api-check

api-promise: ## promise what the API is now: from here on, it is only added to
	@cp docs/openapi.json docs/openapi.promised.json

generated: ## fail when a generated file is not what 'make gen' makes
	@scripts/generated-is-current

# Without a network the tool cannot be built; then its part is left out, and said to be.
supply: ## licences of everything that is built from, and known vulnerabilities if their databases can be reached
	@go build -o bin/quayside ./cmd/quayside
	@$(MAKE) $(GOVULNCHECK) >$(TOOLS)/govulncheck.log 2>&1 || true
	@go run ./test/supply -binary bin/quayside -govulncheck $(GOVULNCHECK)

# bench-quick without the ratios that have no floor, in memory, where the disk's mood does not count, and with shorter rounds where
# each has several measurements.
bench-floor: ## the parts of bench-quick that can fail: the first ratio, what a record costs, pages of tables and views; about three minutes
	@mkdir -p bin && go build -o bin/load ./test/load
	@bin/load -root . -quick -memory -floor throughput_64=0.06
	@bin/load -root . -quick -slice 250ms -reads 100000
	@bin/load -root . -quick -slice 250ms -views 60000 -articles 1000

# Slow checks that seldom fail alone are only in check-all: the race detector, the browser, the
# conformance suite, fuzzing and the bench. Parts joined by + run at the same time: those that wait for downloads, and
# tests that wait for processes. The browser and the bench run alone, since they measure.
check: $(REPORT) ## the inner loop, a few minutes: lint, generated files, the API's promise, unit tests, Go tests
	@$(REPORT) parts "$(MAKE)" tools+web-unit lint generated+api-check test

check-all: $(REPORT) ## all that CI runs: check with the race detector, the browser, conformance, fuzzing, the bench
	@$(REPORT) parts "$(MAKE)" $(PARTS)

PARTS = packages+tools+web-unit+docs-site lint generated+api-check supply test-race+test-plain+fuzz-quick browser bench-floor

tools: ## install what the checks need, but for the web app's packages
	@mkdir -p $(TOOLS)
	@$(MAKE) -j5 -O $(SQLC) $(GOLANGCI) $(OASDIFF) $(SQUAWK) test/conformance/node_modules/.package-lock.json

packages: ## install the Debian packages that the checks need and that are missing, as root
	@.ci/packages

# Release targets. Their tools take minutes to build and are not part of 'make tools';
# .ci/release runs all of them.
release-snapshot: $(GORELEASER) $(KO) $(CRANE) ## a release of this commit, not published: dist has archives, packages, checksums and SBOMs, build the image
	@$(GORELEASER) release --snapshot --clean $(RELEASE_FLAGS)

# What .github/workflows/release.yml publishes: the files of the checked-out tag, the image and its SBOMs, in one file.
release-build: $(GORELEASER) $(KO) $(CRANE)
	@$(GORELEASER) release --clean --skip=publish
	@tar -cf build/release.tar dist/*.tar.gz dist/*.deb dist/*.rpm dist/*.spdx.json dist/checksums.txt build/image build/sbom

# goreleaser's inputs: the web app, the documentation, the image, the SBOMs.
release-inputs: $(KO) $(CRANE) web/node_modules/.package-lock.json docs/dist/index.html
	@cd web && npm run --silent build > ../$(TOOLS)/web.log 2>&1 || { cat ../$(TOOLS)/web.log; exit 1; }
	@KO=$(KO) CRANE=$(CRANE) scripts/release/image build/image build/sbom
	@scripts/release/sbom-web > build/sbom/web.spdx.json

release-tools: $(GORELEASER) $(KO) $(CRANE)
release-files:
	@scripts/release/check-files dist
release-compose:
	@cd test/compose && go vet ./... && go test -count=1 ./...
release-image: $(CRANE)
	@CRANE=$(CRANE) scripts/release/check-image build/image dist
release-package:
	@scripts/release/check-package dist
release-newcomer:
	@scripts/release/newcomer dist
release-twice:
	@scripts/release/check-twice dist

release-check: $(REPORT)
	@$(REPORT) parts "$(MAKE)" release-tools release-snapshot release-files release-compose release-image release-package release-newcomer release-twice

$(GORELEASER):
	@echo "building goreleaser $(GORELEASER_VERSION)…" >&2
	@GOBIN=$(CURDIR)/$(TOOLS) go install github.com/goreleaser/goreleaser/v2@$(GORELEASER_VERSION)
	@mv $(TOOLS)/goreleaser $@

$(KO):
	@echo "building ko $(KO_VERSION)…" >&2
	@GOBIN=$(CURDIR)/$(TOOLS) go install github.com/google/ko@$(KO_VERSION)
	@mv $(TOOLS)/ko $@

$(CRANE):
	@echo "building crane $(CRANE_VERSION)…" >&2
	@GOBIN=$(CURDIR)/$(TOOLS) go install github.com/google/go-containerregistry/cmd/crane@$(CRANE_VERSION)
	@mv $(TOOLS)/crane $@

$(SQLC):
	@mkdir -p $(TOOLS)
	@echo "building sqlc $(SQLC_VERSION)…" >&2
	@CGO_CFLAGS=-O0 $(GO_INSTALL) $(HASTY) github.com/sqlc-dev/sqlc/cmd/sqlc@$(SQLC_VERSION)
	@mv $(TOOLS)/sqlc $@

$(GOLANGCI):
	@mkdir -p $(TOOLS)
	@echo "building golangci-lint $(GOLANGCI_VERSION)…" >&2
	@$(GO_INSTALL) $(HASTY_LINT) github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_VERSION)
	@mv $(TOOLS)/golangci-lint $@

$(GOVULNCHECK):
	@mkdir -p $(TOOLS)
	@echo "building govulncheck $(GOVULNCHECK_VERSION)…" >&2
	@$(GO_INSTALL) $(HASTY) golang.org/x/vuln/cmd/govulncheck@$(GOVULNCHECK_VERSION)
	@mv $(TOOLS)/govulncheck $@

$(OASDIFF):
	@mkdir -p $(TOOLS)
	@echo "building oasdiff $(OASDIFF_VERSION)…" >&2
	@$(GO_INSTALL) $(HASTY) github.com/oasdiff/oasdiff@$(OASDIFF_VERSION)
	@mv $(TOOLS)/oasdiff $@

$(SQUAWK):
	@npm install --silent --no-audit --no-fund --ignore-scripts --prefix $(TOOLS)/squawk-$(SQUAWK_VERSION) squawk-cli@$(SQUAWK_VERSION)
