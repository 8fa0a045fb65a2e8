# Run `make` to list the targets. They need only Go. The tools are tool lines of go.mod.
GO ?= go
BIN := bin/poolbench

.DEFAULT_GOAL := help
.PHONY: help build run playground test check race lint cross vuln bench dispatch attack fuzz generate pictures ci

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-10s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# Both tags leave out unused code: formats of gonum/plot, and gRPC's pages about itself.
FLAGS := -tags=minimal,grpcnotrace -trimpath
export GOFLAGS := $(filter-out $(FLAGS),$(shell $(GO) env GOFLAGS)) $(FLAGS)

build: ## build bin/poolbench
	$(GO) build -ldflags '-s -w' -o $(BIN) ./cmd/poolbench

run: build ## build, then run the default studies: a table and report.html, about 90 s on two cores
	$(BIN) run

playground: ## build the playground, a static page, into bin/playground
	$(GO) run ./cmd/playground bin/playground

# Many packages wait for clocks and servers. Without debug information tests link in half the time.
TESTS := $(GO) tool gotestsum --format pkgname -- -vet=off -ldflags '-s -w' -p 4
# Their heaps are small, so a fifth of the CPU time would be collections of garbage.
test: ## the short tests: go test -short ./...
	GOGC=400 $(TESTS) -short ./...

check: ## all tests: go test ./... (tests of hours need the flag -sweep)
	$(TESTS) -timeout 40m ./...

# Left out: packages that start no goroutine, and tests of texts and refusals, whose commands other
# tests run. A process waits 50 ms at its end for races in other goroutines, instead of a second.
COMPUTES := /internal/(changepoint|cli/clitest/(comparisons|documents|mistakes)|gate/judge|project|statistics)(/|$$)|/reports/(charts|compare|gate|internal|results|why)
race: ## the short tests under the race detector, except of arithmetic, drawing, texts and refusals
	GORACE=atexit_sleep_ms=50 $(TESTS) -race -short -timeout 30m $$($(GO) list ./... | grep -vE '$(COMPUTES)')

# Long lines are allowed if they contain a string or preformatted text of a comment.
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

vuln: ## known vulnerabilities in imported packages (asks a network database, so not part of ci)
	$(GO) tool govulncheck ./...

bench: ## a scenario matrix as Go benchmarks, for benchstat and poolbench compare: under a minute
	$(GO) test -run '^$$' -bench '^BenchmarkRun$$' -benchtime 2000x ./bench

dispatch: ## cost per task: strategies, libraries, a plain call, at GOMAXPROCS 1 and 2: about 10 minutes
	$(GO) test -run '^$$' -bench . -benchtime 100ms -cpu 1,2 -timeout 40m ./strategies/peers

attack: ## compare attack with wrk, vegeta, h2load, ghz: 5 rounds on an idle machine, about 6 minutes
	$(GO) test -run '^$$' -bench '^BenchmarkBeside$$' -benchtime 5x -timeout 20m ./bench/attack ./bench/attack/rpc

FUZZTIME ?= 10s
fuzz: ## every fuzz target for FUZZTIME (10s) each: about 7 minutes
	GO="$(GO)" .ci/fuzz $(FUZZTIME)

generate: ## rewrite tables in docs, golden texts, components, the reports' script, go.mod of examples
	$(GO) test ./internal/cli ./internal/cli/clitest/documents -run '^(TestGenerated|TestExampleModules|TestRootHelp|TestEveryCommandIsHeld|TestGolden)$$' -update
	$(GO) test ./internal/project -run '^TestComponents$$' -update
	$(GO) test ./internal/project/manual -run '^TestThirdParty$$' -update
	$(GO) test ./strategies/peers -run '^(TestBoard|TestNestedPage)$$' -update
	$(GO) test ./reports/page/front ./internal/cli/live -run '^(TestSpec|TestBundle)$$' -update

pictures: ## redraw the pictures of README and docs, from runs under the virtual clock: half a minute
	BIN=$(BIN) .ci/pictures

ci: ## run the checks of CI: 35 minutes on two cores
	.ci/run
