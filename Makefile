# Targets of poolbench. `make` alone lists them. Nothing but Go is needed; the tools are tool lines
# of go.mod.
GO ?= go
BIN := bin/poolbench

.DEFAULT_GOAL := help
.PHONY: help build run test check race lint cross vuln bench studies pairs causes dispatch attack fuzz lines compose advice coverage generate pictures ci

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-9s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

# minimal is gonum/plot without formats that no chart has: 0.8 MB. grpcnotrace is gRPC without
# traces of its own, whose page is a template of the standard library: for one, the linker keeps 11
# MB of methods that nothing calls (TestBinary). No debug information: making it takes a tenth of
# the time, and reading it while tests are linked. Without the path of the checkout two checkouts
# share what is compiled. Nothing is inlined in what asks, words, starts, judges a study and draws:
# 0.8 MB in all, and a report takes as long; nor in the commands of Redis, of which none but a few
# are called: 2.1 MB, and half of the time that they take to compile (runs of redis_stream take 3.12
# s of CPU time where they took 3.08, of asynq 2.64 and 2.71, which vary by 15 %). jetstream takes
# 11 % more with its server so, which is left alone. Nor in what reads descriptors for gRPC: 0.4 MB;
# nor in what reads curl, and claims of NATS. Ten fonts that no chart has are 3.5 MB: gonum/plot
# names them all.
HOUSE := github.com/poolbench/poolbench
COLD := $(HOUSE)/internal/cli/... $(HOUSE)/internal/studies/... $(HOUSE)/internal/gate/measure/... \
	$(HOUSE)/internal/fleet/... $(HOUSE)/internal/durability/... $(HOUSE)/reports/... \
	github.com/goccy/... github.com/google/pprof/... github.com/spf13/... golang.org/x/exp/... github.com/redis/go-redis/v9 \
	google.golang.org/protobuf/... google.golang.org/genproto/... github.com/bufbuild/... github.com/jhump/... \
	go.yaml.in/... mvdan.cc/... github.com/nats-io/jwt/...
# But for what compares, which would make a sixth more objects (TestLargeResults).
TESTED := -tags=minimal,grpcnotrace -trimpath -gcflags=all=-dwarf=false
FLAGS := $(TESTED) $(COLD:%='-gcflags=%=-dwarf=false -l') \
	'-gcflags=$(HOUSE)/reports/compare=-dwarf=false'
build: ## build bin/poolbench
	$(GO) build $(FLAGS) -ldflags '-s -w' -o $(BIN) ./cmd/poolbench

.PHONY: flags shipped
flags: # of tests
	@echo "$(TESTED)"
shipped: # of make build
	@echo "$(FLAGS)"

run: build ## build, then run the default studies: a table and report.html, under 75 s on two cores
	$(BIN) run

# What was skipped is named at the end, with the reason. Tests wait about as long as they compute:
# twice as many packages run side by side as there are processors, and eight tests of one that wait.
# A heap that is collected more seldom saves a seventh of the CPU time; lint vets. The flags of
# build make the linking of tests shorter; what a test builds itself has them, too, and is compiled
# once. COLD is not among them: go compiles an expression of each pattern anew for each package
# below each test (go 1.26, load.MatchPackage), so that go test ./... would take 12 s of CPU time to
# begin, and not 1. CI has all of them in GOFLAGS, since it compiles everything anew.
GIVEN := $(shell $(GO) env GOFLAGS)
test check race fuzz: export GOFLAGS := $(GIVEN) $(if $(findstring $(TESTED),$(GIVEN)),,$(TESTED))
TESTS = GOGC=400 $(GO) tool gotestsum --format pkgname -- -vet=off -parallel 8 \
	$(shell n=$$(getconf _NPROCESSORS_ONLN 2>/dev/null) && echo -p $$((2 * n)))

test: ## the tests of every day, no service to start
	$(TESTS) -timeout 15m ./...

# The tests that call a function of internal/house/check. The longest packages come first: two wait
# for servers and clocks while two compute.
FIRST := ./internal/cli/clitest/stores ./internal/cli/clitest/runs ./bench ./bench/advise ./internal/house/manual ./strategies/durable
CHECKED = grep -rl --include='*_test.go' 'check\.[OW][nfth]' .
check: ## what make test leaves out, and names at its end
	tests=$$($(CHECKED) | xargs awk '/^func Test/ { split($$2, name, "(") } /check\.(Only|Of|Others?|Whole)\(/ { print name[1] }' | sort -u | paste -sd '|' -) && \
		POOLBENCH_CHECK=1 $(TESTS) -timeout 30m -run "^($$tests)\$$" $(FIRST) $$($(CHECKED) | xargs -n 1 dirname | sort -u)

# Each process would sleep a second at its end, for races of goroutines that go on; the tests look
# for such goroutines themselves. Those of SERIAL compute, start no goroutine and share nothing.
# Those of OTHERS start none themselves, or call commands whose goroutines the tests of
# bench/capacity, bench/advise, internal/gate/measure, internal/fleet, internal/cli/runner,
# reports/trend and clitest/{runs,requests,kills,stores} start as well; those of a page look at it
# in a browser, and those of internal/studies judge figures of runs that those of bench,
# strategies/builtin, targets and workloads make, too. What repeats one path draws a sample
# (internal/machine/race).
SERIAL := /(bench/(arrivals|dist|finding|param)|internal/(cli/(exit|terminal)|files/(bounded|outfile|rundir|scratch)|gate/(changepoint|judge)|house|machine/meter|parts/(coin|once|registry)|statistics/(recursion|samples)|studies/evidence/words|text|traffic)|reports/(advice|answer|charts|compare|gate|page/(front|shell)|proof|results))(/|$$)
OTHERS := /(internal/(cli/clitest/(comparisons|documents|mistakes|searches)|studies)|reports/(page|internal/looks))$$
# The longest come first. Durable queues wait for their servers: they are tested beside the others,
# which leave them the processors, and built before, or both would build the same.
LONGEST := ./internal/cli/clitest/... ./strategies/... ./bench/attack
RACE = GORACE=atexit_sleep_ms=0 $(TESTS) -race -timeout 30m
race: ## those of make test, and all of durable queues, under the race detector
	@$(GO) test -race -c -o /dev/null ./strategies/durable
	POOLBENCH_CHECK=1 GOTESTSUM_JSONFILE= $(RACE) ./strategies/durable & durable=$$!; \
		nice -n 19 env $(RACE) $$($(GO) list $(LONGEST) ./... | grep -vE '$(SERIAL)|$(OTHERS)|/strategies/durable$$'); others=$$?; \
		wait $$durable && exit $$others

lint: ## gofmt, vet, staticcheck, and a tidy go.mod; changes nothing
	@unformatted=$$("$$($(GO) env GOROOT)/bin/gofmt" -l .) && if [ -n "$$unformatted" ]; then echo "not gofmt'ed:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
	$(GO) mod tidy -diff

# Most of the first time goes into the standard library, SQLite and its C library in Go, once for
# each system.
CROSS ?= darwin/amd64 windows/amd64 freebsd/amd64 linux/arm64 linux/386
cross: ## vet and build for other systems, tests included: about 2 minutes each on two cores, the first time
	@for p in $(CROSS); do \
		echo "$$p"; \
		for do in vet build; do \
			CGO_ENABLED=0 GOOS=$${p%/*} GOARCH=$${p#*/} $(GO) $$do -gcflags='all=-N -l' ./... || exit 1; \
		done; \
	done

vuln: ## known vulnerabilities in what is imported (asks a database on the network, so it is not part of ci)
	$(GO) tool govulncheck ./...

bench: ## a scenario matrix as Go benchmarks, for benchstat and poolbench compare: under a minute
	$(GO) test -run '^$$' -bench '^BenchmarkRun$$' -benchtime 2000x ./bench

studies: ## the verdicts of all virtual studies with 20 seeds each, as a table: about 20 minutes
	cd internal/studies && $(GO) test -run '^TestVerdicts$$' -count=1 -timeout 2h -seeds 20

pairs: ## what compare finds (1 % more service, 50 cells) and alarms for (other seeds, 400 cells), as a user types it: about 10 minutes
	POOLBENCH_CHECK=all $(GO) test -run '^TestCompare(FindsOnePercent|FalseAlarms)$$' -count=1 -timeout 1h ./internal/cli/clitest/comparisons

causes: ## what poolbench why names first of planted causes, 20 runs each, on a quiet machine: about half an hour
	POOLBENCH_CHECK=all $(GO) test -run '^TestCauses$$' -count=1 -v -timeout 2h ./internal/cli/clitest/runs

dispatch: ## what a task costs through each strategy and library, beside a plain call, at GOMAXPROCS 1 and 2: about 10 minutes
	@for p in 1 2; do GOMAXPROCS=$$p $(GO) test -run '^$$' -bench . -benchtime 100ms -timeout 20m ./strategies/peers || exit 1; done

attack: ## attack as it is typed beside wrk, vegeta, h2load and ghz, five rounds in turns on a quiet machine: about 6 minutes
	$(GO) test -run '^$$' -bench '^BenchmarkBeside$$' -benchtime 5x -timeout 20m ./bench/attack ./bench/attack/rpc

# A find is minimised by so many executions: by time, the default, some targets would do little
# else. Go 1.26 now and then takes the end of FUZZTIME for a failure (go.dev/issue/75804): such a
# target, without a failing input, is run again. The targets of a package are of one binary, which
# keeps what it finds where go test -fuzz does.
FUZZTIME ?= 10s
FUZZ = $$binary -test.run '^$$' -test.fuzz "^$$f\$$" -test.fuzztime $(FUZZTIME) -test.fuzzminimizetime 20x -test.fuzzcachedir $$found
fuzz: ## every fuzz target for FUZZTIME (10s) each: about 7 minutes
	@work=$$(mktemp -d) && trap 'rm -rf "$$work"' EXIT && binary=$$work/fuzz.test && \
	for p in $$(grep -rl --include='*_test.go' '^func Fuzz' . | xargs -n 1 dirname | sort -u); do \
		$(GO) test -c -vet=off -ldflags '-s -w' -fuzz . -o $$binary $$p && found=$$($(GO) env GOCACHE)/fuzz/$$($(GO) list $$p) && \
			targets=$$($$binary -test.list '^Fuzz') || exit 1; \
		for f in $$targets; do \
			echo "$$p $$f"; \
			until out=$$(cd $$p && $(FUZZ) 2>&1); do \
				case "$$out" in \
					*"Failing input"* | *panic:*) echo "$$out"; exit 1 ;; \
					*"    context deadline exceeded"*) echo "again: the end of time was taken for a failure" ;; \
					*) echo "$$out"; exit 1 ;; \
				esac; \
			done; \
			echo "$$out" | grep execs | tail -n 1; \
		done || exit 1; \
	done

lines: ## 100,000 command lines at random: nothing panics, every mistake is told in a line; about 20 minutes
	POOLBENCH_CHECK=all $(GO) test -timeout 2h -run '^TestCommandLines$$' -v ./internal/cli/clitest/mistakes

compose: ## the contract of all compositions of two parts, and of 200 of three: about 2 minutes
	POOLBENCH_CHECK=all $(GO) test -count=1 -timeout 1h -run '^TestComposed' -v ./strategies/builtin

advice: ## 380 random questions to advise and capacity, compared with brute force: about 40 minutes
	POOLBENCH_CHECK=all $(GO) test -count=1 -timeout 2h -run '^TestComposed$$' -v ./bench/advise
	POOLBENCH_CHECK=all $(GO) test -count=1 -timeout 2h -run '^(TestAdviceTruth|TestAdviceOnTargets|TestCapacityTruth)$$' -v ./internal/cli/clitest/searches

coverage: ## how often 95 % intervals hold the exact value, as the table of docs/intervals.md: about 27 minutes of CPU
	POOLBENCH_CHECK=all $(GO) test -count=1 -timeout 3h -run '^TestCoverage$$' -v ./internal/machine/calibration
	POOLBENCH_CHECK=all $(GO) test -count=1 -timeout 3h -run '^TestUnmarkedP99$$' -v ./bench

generate: ## write anew what the sources imply: the tables in docs, go.mod of examples, golden texts, the components and the script of reports
	@missing=; \
	update() { $(GO) test "$$@" -update || missing="$$missing\n  $$*"; }; \
	update ./reports/page/front ./internal/cli/live -run '^(TestSpec|TestBundle)$$'; \
	update ./internal/cli ./internal/cli/clitest/documents -run '^(TestGenerated|TestExampleModules|TestRootHelp|TestEveryCommandIsHeld)$$'; \
	update ./internal/house -run '^TestComponents$$'; \
	update ./internal/house/manual -run '^TestThirdParty$$'; \
	update ./strategies/peers -run '^(TestBoard|TestNestedPage)$$'; \
	if [ -n "$$missing" ]; then printf "not generated, for the reasons above:$$missing\n" >&2; exit 1; fi

# A chart of one's own docs is a chart of a run: its title is what the run found.
PICTURES := bin/pictures
pictures: build ## draw the pictures of README and docs anew, from runs under the virtual clock: half a minute
	$(BIN) study variance --quick --quiet --force --out $(PICTURES)/variance
	$(BIN) run --clock virtual --strategy worker_pool,semaphore,errgroup_limit,bounded_queue_shed,codel_lifo --load 0.3,0.5,0.7,0.8,0.9,1.1 \
		--limit 4 --n 60000 --count 5 --quiet --force --out $(PICTURES)/load
	cp $(PICTURES)/variance/charts/variance-cost.png docs/cost-of-variance.png
	cp $(PICTURES)/load/charts/response-*.png docs/response-vs-load.png

ci: ## what CI runs: 25 minutes on two cores
	.ci/run
