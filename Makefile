# Targets of poolbench. `make` alone lists them. Nothing but Go is needed; the tools are tool lines
# of go.mod.
GO ?= go
BIN := bin/poolbench

.DEFAULT_GOAL := help
.PHONY: help build run test check race lint cross vuln bench dispatch attack fuzz generate pictures ci

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Both tags leave out what nothing uses: formats of gonum/plot, and pages of gRPC about itself.
FLAGS := -tags=minimal,grpcnotrace -trimpath
export GOFLAGS := $(filter-out $(FLAGS),$(shell $(GO) env GOFLAGS)) $(FLAGS)

build: ## build bin/poolbench
	$(GO) build -ldflags '-s -w' -o $(BIN) ./cmd/poolbench

run: build ## build, then run the default studies: a table and report.html, about 90 s on two cores
	$(BIN) run

# Four packages at a time: many tests wait for clocks and servers. Without debug information they
# link in half the time.
TESTS := $(GO) tool gotestsum --format pkgname -- -vet=off -ldflags '-s -w' -p 4
test: ## the short tests: go test -short ./...
	$(TESTS) -short ./...

check: ## all tests: go test ./...; what takes hours has a flag of its own, -sweep
	$(TESTS) -timeout 40m ./...

# What starts no goroutine has no races: arithmetic, texts, drawing. A process does not wait for a
# second at its end, in which others of its goroutines might still race.
COMPUTES := /internal/(changepoint|cli/clitest/(comparisons|documents)|gate/judge|project|statistics)(/|$$)|/reports/(charts|compare|gate|internal|results|why)
race: ## the short tests under the race detector, but for packages that start no goroutine
	GORACE=atexit_sleep_ms=50 $(TESTS) -race -short -timeout 30m $$($(GO) list ./... | grep -vE '$(COMPUTES)')

# A string is not broken, nor what a comment shows as it is.
lint: ## gofmt, vet, staticcheck, lines of at most 100 columns, a tidy go.mod; changes nothing
	@unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .); test -z "$$unformatted" || { echo "not formatted: $$unformatted"; exit 1; }
	@! git grep -nE '^[	/cftv].{100,}' -- '*.go' ':!*_templ.go' ':!*.pb.go' ':!*example_test.go' ':!*/compose_test.go' | grep -vE '["`]|// *	|//  '
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) mod tidy -diff

CROSS ?= darwin/amd64 windows/amd64 freebsd/amd64 linux/arm64 linux/386
cross: ## vet for other systems, tests included: about 2 minutes each on two cores, the first time
	@for p in $(CROSS); do \
		echo "$$p"; CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) vet ./... || exit 1; \
	done

vuln: ## known vulnerabilities in what is imported (asks a database on the network, so it is not part of ci)
	$(GO) tool govulncheck ./...

bench: ## a scenario matrix as Go benchmarks, for benchstat and poolbench compare: under a minute
	$(GO) test -run '^$$' -bench '^BenchmarkRun$$' -benchtime 2000x ./bench

dispatch: ## what a task costs through each strategy and library, beside a plain call, at GOMAXPROCS 1 and 2: about 10 minutes
	$(GO) test -run '^$$' -bench . -benchtime 100ms -cpu 1,2 -timeout 40m ./strategies/peers

attack: ## attack as it is typed beside wrk, vegeta, h2load and ghz, five rounds in turns on a quiet machine: about 6 minutes
	$(GO) test -run '^$$' -bench '^BenchmarkBeside$$' -benchtime 5x -timeout 20m ./bench/attack ./bench/attack/rpc

FUZZTIME ?= 10s
fuzz: ## every fuzz target for FUZZTIME (10s) each: about 7 minutes
	GO="$(GO)" .ci/fuzz $(FUZZTIME)

generate: ## write anew what the sources imply: the tables in docs, go.mod of examples, golden texts, the components and the script of reports
	$(GO) test ./internal/cli ./internal/cli/clitest/documents -run '^(TestGenerated|TestExampleModules|TestRootHelp|TestEveryCommandIsHeld|TestGolden)$$' -update
	$(GO) test ./internal/project -run '^TestComponents$$' -update
	$(GO) test ./internal/project/manual -run '^TestThirdParty$$' -update
	$(GO) test ./strategies/peers -run '^(TestBoard|TestNestedPage)$$' -update
	$(GO) test ./reports/page/front ./internal/cli/live -run '^(TestSpec|TestBundle)$$' -update

pictures: ## draw the pictures of README and docs anew, from runs under the virtual clock: half a minute
	BIN=$(BIN) .ci/pictures

ci: ## what CI runs: 35 minutes on two cores
	.ci/run
