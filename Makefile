# Targets of poolbench. `make` alone lists them. Nothing but Go is needed; the tools are tool lines of go.mod.
GO ?= go
BIN := bin/poolbench

.DEFAULT_GOAL := help
.PHONY: help build run test race lint vuln bench dispatch generate ci

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/poolbench
	$(GO) build -o $(BIN) ./cmd/poolbench

run: build ## build, then run the default studies: a table and report.html, under 90 s on two cores
	$(BIN) run

test: ## all tests: no service to start, under 5 minutes on two cores
	$(GO) test -timeout 5m ./...

race: ## all tests under the race detector
	$(GO) test -race -timeout 12m ./...

lint: ## gofmt, vet, staticcheck, and a tidy go.mod; changes nothing
	@unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .) && if [ -n "$$unformatted" ]; then echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) mod tidy -diff

vuln: ## known vulnerabilities in what is imported (asks a database on the network, so it is not part of ci)
	$(GO) tool govulncheck ./...

bench: ## the scenario matrix as Go benchmarks, for benchstat and poolbench compare
	$(GO) test -run '^$$' -bench '^BenchmarkRun$$' -benchtime 2000x ./bench

dispatch: ## what a task costs through each strategy and library, beside a plain call, at GOMAXPROCS 1 and 2: about 10 minutes
	@for p in 1 2; do GOMAXPROCS=$$p $(GO) test -run '^$$' -bench . -benchtime 100ms -timeout 20m ./strategies/peers || exit 1; done

generate: ## write anew what the sources imply: the README's tables, golden texts
	$(GO) test ./cmd/poolbench -run '^(TestReadmeTable|TestRootHelp)$$' -update

ci: ## what CI runs
	.ci/run
