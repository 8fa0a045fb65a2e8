package mistakes

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/poolbench/poolbench/internal/cli"
	"github.com/poolbench/poolbench/internal/cli/clitest"
	"github.com/poolbench/poolbench/internal/cli/options"
	"github.com/poolbench/poolbench/internal/cli/terminal"
)

// Each line of an error must begin with "poolbench: " and name the flag, file or word. Stdout must
// be empty, and no file may be written.
func TestBadInput(t *testing.T) {
	t.Setenv("POOLBENCH_NATS", "") // a server named in the environment would be used
	var names []string
	for _, c := range clitest.Root().Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	slices.Sort(names)
	known := strings.Join(names, ", ")
	for _, c := range []struct {
		args string
		want []string // expected in stderr, one line each
	}{
		{"benchmark", []string{`unknown command "benchmark" (known: ` + known + `)`}},
		{"help benchmark", []string{`help: unknown command "benchmark" (known: ` + known + `)`}},
		{"version extra", []string{`version: unexpected argument "extra"`}},
		{"version --json", []string{"unknown flag --json (known: --format, --help)"}},
		{"version -x", []string{"unknown flag -x (known: --format, --help)"}},
		{"version --format xml", []string{`--format: unknown value "xml" (known: text, json)`}},
		{"version --format", []string{"flag needs an argument: --format"}},
		{"completion",
			[]string{"completion: SHELL is missing (usage: poolbench completion SHELL)"}},
		{"completion tcsh",
			[]string{`completion: unknown shell "tcsh" (known: bash, fish, powershell, zsh)`}},
		{"list cats", []string{
			`list: unknown kind "cats" (known: strategies, parts, workloads, targets, arrivals, studies, metrics)`}},
		{"list targets cat", []string{`list: unknown name "cat" in targets (known: `}},
		{"list targets none too", []string{`list: unexpected argument "too"`}},

		{"crash nothing", []string{`unknown strategy "nothing" (known: `}},
		{"crash worker_pool --kill server",
			[]string{"--kill: worker_pool has no server"}},
		{"crash worker_pool --kills 0", []string{"--kills: "}},
		{"crash worker_pool --patience 0s", []string{"--patience: want a duration above 0"}},
		{"crash worker_pool --workload nothing", []string{"--workload: "}},
		{"crash sqlite_queue:bytes=3", []string{"bytes 3: want 24 to"}},
		{"crash sqlite_queue --server nothing=x", []string{`--server: unknown server "nothing"`}},
		{"crash sqlite_queue --server nats", []string{"--server: want NAME=ADDRESS"}},
		{"crash sqlite_queue --setting a=b", []string{"--setting: crash starts no server here"}},
		{"crash jetstream:server=outer", []string{"needs NATS: name one by --server nats="}},
		{"crash sqlite_queue --server redis=h:1", []string{"--server redis: no chosen strategy uses Redis"}},
		{"crash jetstream --server nats=h:1", []string{"--server nats: jetstream uses its embedded server"}},
		{"capacity --strategy semaphore --server redis=h:1 --objective p99-response<1s",
			[]string{"--server redis: no chosen strategy uses Redis"}},
		{"gateway --strategy semaphore --server redis=h:1",
			[]string{"--server redis: no chosen strategy uses Redis"}},
		{"run --strategy semaphore --server nats=h:1", []string{"--server nats: no chosen strategy uses NATS"}},
		{"run --strategy jetstream --clock virtual",
			[]string{"strategy jetstream: disks and servers have no virtual time"}},

		{"run everything", []string{`run: unexpected argument "everything"`}},
		{"run --strategy pool",
			[]string{`--strategy: unknown strategy "pool" (known: ` +
				options.StrategyNames()[0] + `, `}},
		{"run --strategy semaphore,pool,", []string{`--strategy: want a name in lower_snake`}},
		{"run --strategy pool,pile",
			[]string{`--strategy: unknown strategy "pool"`, `--strategy: unknown strategy "pile"`}},
		// each mistake is reported once, whatever the other flags
		{"run --stages base:60s --rate 10 --n 5", []string{"--stages: want stages such as "}},
		{"run --stages base:60s --arrival poisson,constant --load 0.5",
			[]string{"--stages: want stages such as "}},
		{"run --strategy semaphore,semaphore", []string{"Run/strategy=semaphore/"}},
		{"run --strategy semaphore:size=3",
			[]string{`--strategy: strategy semaphore: unknown parameter "size"`}},
		{"run --workload nap --target wall --arrival never", []string{
			`--workload: unknown workload "nap" (known: `,
			`--target: unknown target "wall" (known: `,
			`--arrival: unknown arrival "never" (known: `}},
		{"run --workload hyperexp:c2=0.5", []string{"--workload: workload hyperexp: "}},
		{"run --workload exponential,c2=4",
			[]string{`--workload: want a name in lower_snake, as in worker_pool or hyperexp:mean=10ms,c2=16, got "c2=4"`}},
		{"run --workload exponential:mean=ten",
			[]string{`--workload: workload exponential: mean: want a duration such as 10ms, got "ten"`}},
		{"run --target token_bucket:rate=0 --rate 5", []string{"--target: target token_bucket: "}},
		{"run --limit 0", []string{"--limit: want a number above 0, got 0"}},
		{"run --limit 4,-1", []string{"--limit: want a number above 0, got -1"}},
		{"run --limit four", []string{`--limit: want a whole number such as 4, got "four"`}},
		{"run --load 0", []string{"--load: want a number above 0, got 0"}},
		{"run --load NaN", []string{`--load: want a number such as 0.5, got "NaN"`}},
		{"run --load 500000%", []string{"--load 5000: want "}},
		{"run --rate 1e99", []string{"--rate 1e+99: want "}},
		{"run --queue -1", []string{`--queue: want a whole number from 0 to 16777216, got "-1"`}},
		{"run --strategy semaphore --queue 3",
			[]string{"--queue: none of these strategies has a queue"}},
		{"run --strategy bounded_queue_shed+worker_pool,codel_lifo+worker_pool --queue 10",
			[]string{"as in bounded_queue_shed:queue=10+worker_pool"}},
		{"run --deadline 5",
			[]string{`--deadline: want a duration above 0, at most 87600h, such as 50ms or 2s, got "5"`}},
		{"run --deadline -5s",
			[]string{`--deadline: want a duration above 0, at most 87600h, such as 50ms or 2s, got "-5s"`}},
		{"run --n 0", []string{`--n: want a whole number from 1 to 2000000000, got "0"`}},
		{"run --n 3000000000",
			[]string{`--n: want a whole number from 1 to 2000000000, got "3000000000"`}},
		{"run --arrival batch --n 1000000000",
			[]string{"n 1000000000: want 1 to 100000000 tasks"}},
		{"run --n 5 --duration 1s", []string{"--n and --duration exclude each other"}},
		{"run --arrival batch --duration 1s",
			[]string{"--arrival batch: give the number of tasks (n)"}},
		{"run --warmup 100%",
			[]string{`--warmup: want a share such as 10% or 0.1, at least 0 and below 1, got "100%"`}},
		{"attack http://h --rate 5 --n 5 --dead-letters x", []string{"--dead-letters: want a strategy"}},
		{"attack http://h --rate 5 --n 5 --streams 5", []string{"--streams: want http2, h2c, "}},
		{"attack http://h --n 5 --clients 3 --rate 4 --max-in-flight 2",
			[]string{"--clients set the pace, so there is no rate",
				"--clients and --max-in-flight exclude each other: each client sends one at a time"}},
		{"run --count 0", []string{`--count: want a whole number from 1 to 1000000, got "0"`}},
		{"run --seed -1", []string{`--seed: want a whole number from 0 to 2^64-1, got "-1"`}},
		{"run --clock sundial",
			[]string{`--clock: unknown clock "sundial" (known: real, virtual)`}},
		{"run --clock virtual --workload cpu_sha256",
			[]string{"workload cpu_sha256: computing takes no virtual time, so use the real clock"}},
		{"run --target token_bucket --load 0.5", []string{"--load: target token_bucket limits a " +
			"rate, so a load relative to the limit has no meaning; give a rate"}},
		{"run --target token_bucket",
			[]string{"arrival poisson: give a rate (target token_bucket limits a rate)"}},
		{"run --stages load=1", []string{
			"--stages: want stages such as load=0.6 for 20s, load=1.4 for 10s; got"}},
		{"run --arrival closed --rate 5",
			[]string{"arrival closed: its clients set the pace, so it accepts neither load nor rate"}},
		{"run --run-limit -1s --n 5",
			[]string{"--run-limit: want a duration above 0, at most 87600h, got -1s"}},
		{"run --run-limit 1ns --n 5", []string{"--run-limit: want 20ms or more, got 1ns"}},
		{"calibrate --run-limit 19ms", []string{"--run-limit: want 20ms or more, got 19ms"}},
		{"gate --base HEAD --run-limit 1us", []string{"--run-limit: want 20ms or more, got 1µs"}},
		{"run --run-limit soon",
			[]string{`--run-limit: want a duration above 0, such as 50ms or 2s, got "soon"`}},
		{"run --force --append --out x",
			[]string{"--force, --append and --resume exclude each other"}},
		{"run --force", []string{"--force, --append and --resume need the directory, --out"}},
		{"run --file nowhere.yaml",
			[]string{"--file: open nowhere.yaml: no such file or directory"}},
		{"run --file .", []string{"--file: read .: is a directory"}},
		{"run --n 5 --out a-file", []string{"--out: a-file: not a directory"}},
		{"run --n 5 --out a-file/below", []string{"--out: a-file/below: not a directory"}},
		{"run --n 5 --out full",
			[]string{"--out: full exists already: --force replaces its results, --append adds " +
				"to them"}},
		{"run --n 5 --out full --force",
			[]string{"--out: full exists and is not a run directory (it has no results.txt)"}},

		{"run --rate 1e-9", []string{"rate 1e-09: want 1e-06 to 1e+09 tasks per second"}},
		{"run --rate 1e-300", []string{"rate 1e-300: want 1e-06 to 1e+09 tasks per second"}},
		{"run --load 1e-320", []string{"load 1e-320: want 1e-06 to 1000, where 1 is the capacity"}},
		{"run --count 9223372036854775807",
			[]string{"--count: want a whole number from 1 to 1000000"}},
		{"run --count 1000000", []string{"count 1000000: that makes "}},
		{"run --duration 9223372036s",
			[]string{"--duration: want a duration above 0, at most 87600h"}},
		{"run --run-limit 9223372036s",
			[]string{"--run-limit: want a duration above 0, at most 87600h, got 2562047h47m16s"}},
		{"run --limit 99999999 --strategy semaphore --rate 5",
			[]string{"limit 99999999 is above 1048576"}},
		{"run --limit 99999999999999999999",
			[]string{`--limit: want a whole number such as 4, got "99999999999999999999"`}},
		{"run --strategy semaphore --workload constant:mean=2500000h --rate 5",
			[]string{"together last longer than ten years"}},
		{"run --file= --n 5", []string{"--file: the value is empty"}},
		{"run --out= --objective=shed<1% --n 5", []string{"--out: the value is empty"}},
		{"run --file /dev/zero", []string{"--file: /dev/zero: it is longer than 1 MiB"}},
		{"run --strategy serial --workload trace:file=/dev/zero", []string{"/dev/zero"}},
		{"compare /dev/zero good.txt", []string{"/dev/zero"}},
		{"compare good.txt good.txt --alpha 1e-320",
			[]string{`--alpha: want a share from 1e-09, got "1e-320"`}},
		{"gate good.txt good.txt --junit=", []string{"--junit: the value is empty"}},
		{"gate --base HEAD --seed x",
			[]string{`--seed: want a whole number from 0 to 2^64-1, got "x"`}},
		{"trend good.txt good.txt --last 1x",
			[]string{`--last: want a whole number from 0 to 100000000, got "1x"`}},
		{"trend good.txt good.txt --last 9999999999",
			[]string{"--last: want a whole number from 0 to 100000000, got 9999999999"}},
		{"attack http://127.0.0.1:1/ --vegeta=", []string{"--vegeta: the value is empty"}},
		{"attack http://127.0.0.1:1/ --rate 1e-300",
			[]string{`--rate: want a number from 1e-06 to 1e6, got "1e-300"`}},
		{"attack http://127.0.0.1:1/ --rate 1e6 --duration 300h",
			[]string{"duration 300h0m0s: at 1e+06 tasks per second that makes 1.08e+12 tasks"}},
		{"attack http://127.0.0.1:1/ --header=", []string{"--header: the value is empty"}},
		{"attack http://127.0.0.1:1/ --body @/dev/zero",
			[]string{"--body: /dev/zero: it is longer than 64 MiB"}},
		{"attack --curl /dev/zero", []string{"--curl: /dev/zero: it is longer than 64 MiB"}},
		{"attack --curl nowhere", []string{"--curl: open nowhere: no such file or directory"}},
		{"trace nowhere", []string{"poolbench: trace: open nowhere: no such file or directory"}},
		{"attack --targets /dev/zero", []string{"--targets: /dev/zero: it is longer than 64 MiB"}},
		{"gateway --rate 0.00001 --n 10000",
			[]string{"n 10000: at 1e-05 tasks per second these tasks last longer than"}},
		{"gateway --count 9999999",
			[]string{`--count: want a whole number from 1 to 1000000, got "9999999"`}},

		{"run --objective latency<5ms",
			[]string{`--objective: unknown metric "latency" (did you mean p99-response? `}},
		{"run --objective p99-response",
			[]string{`--objective: want METRIC<VALUE, such as p99-response<50ms or shed<=1%, got "p99-response"`}},
		{"run --objective p99-response<50",
			[]string{`--objective: p99-response: want a duration such as 50ms, got "50"`}},
		{"run --objective shed<1% --objective shed<2%",
			[]string{"--objective: shed<1% and shed<2% bound the same metric in the same direction"}},
		{"capacity", []string{"capacity: want an objective, such as --objective " +
			"'p99-response<50ms'"}},
		{"capacity everything", []string{`capacity: unexpected argument "everything"`}},
		{"capacity --objective shed<5",
			[]string{`--objective: shed: want a share such as 1% or 0.01, got "5": write 5% or 0.05`}},
		{"run --objective failed<1", []string{`got "1": write 1% or 0.01`}},
		{"attack http://127.0.0.1:1/ --objective failed<1", []string{"write 1% or 0.01"}},
		{"attack http://127.0.0.1:1/ --objective p99-response>1s",
			[]string{"--objective: p99-response: lower is better, so write p99-response<1s"}},
		{"capacity http://127.0.0.1:1/ --objective p99>1s", []string{"lower is better"}},
		{"advise --objective p99>1s", []string{"lower is better"}},
		{"gateway --objective p99>1s", []string{"lower is better"}},
		{"study pulse --objective p99>1s", []string{"lower is better"}},
		{"attack http://127.0.0.1:1/ --rps 5",
			[]string{"unknown flag --rps (did you mean --rate?)"}},
		{"attack http://127.0.0.1:1/ --concurrency 5", []string{"(did you mean --clients?)"}},
		{"attack http://127.0.0.1:1/ --vus 5", []string{"(did you mean --clients?)"}},
		{"attack http://127.0.0.1:1/ --requests 5", []string{"(did you mean --n?)"}},
		{"attack http://127.0.0.1:1/ -z 5s", []string{"unknown flag -z (did you mean --duration?)"}},
		{"run --concurrency 5", []string{"(did you mean --limit?)"}},
		{"run --nonsense 5",
			[]string{"unknown flag --nonsense (poolbench help --all run lists all flags)"}},
		{"run --strategy worker-pool", []string{"(did you mean worker_pool?)"}},
		{"advise --objective p99<1s --strategy Semaphor-e", []string{"(did you mean semaphore?)"}},
		{"run --workload hyper-exp", []string{"(did you mean hyperexp?)"}},
		{"list strategy", []string{"(did you mean strategies?"}},
		{"run --load 80", []string{"--load: 80 is 80 times the capacity: want at most 20; for 80 % " +
			"write 80%"}},
		{"run --load 0.5,70", []string{"for 70 % write 70%"}},
		{"run --load 1 --rate 5", []string{"--load and --rate exclude each other"}},
		{"capacity --loads 0.5", []string{"unknown flag --loads (did you mean --load?)"}},
		{"capacity --objective shed<1% --load 0.5",
			[]string{"--load: the search is for this value: give its range, --load-range"}},
		{"capacity --objective shed<1% --load-range 0.5",
			[]string{`--load-range: want two numbers above 0 such as 0.1,1.2, the smaller first, got "0.5"`}},
		{"capacity --objective shed<1% --load-range 1,0.5",
			[]string{"--load-range: want two numbers above 0"}},
		{"capacity --objective shed<1% --load-range 1,5000",
			[]string{"--load-range: load 5000: want 1e-06 to 1000, where 1 is the capacity"}},
		{"capacity --objective shed<1% --limit-range 1,5",
			[]string{"--limit-range: the search is for the load: --find limit searches the limit"}},
		{"capacity --objective shed<1% --find limit --rate 10 --load-range 1,2",
			[]string{"--load-range: the search is for the limit: give --limit-range"}},
		{"capacity --objective shed<1% --find limit --rate 10 --limit-range 5,1",
			[]string{"--limit-range: want two whole numbers above 0 such as 1,64, the smaller " +
				`first, got "5,1"`}},
		{"capacity --objective shed<1% --find limit --rate 10 --limit-range 0.5,4",
			[]string{"--limit-range: want two whole numbers above 0"}},
		{"run --strategy redis_stream --server redis=s3cret",
			[]string{"--server: redis: want an address such as redis://127.0.0.1:6379/0, or " +
				"HOST:PORT"}},
		{"run --strategy redis_stream --server redis=http://127.0.0.1:6379",
			[]string{"--server: redis: want an address such as redis://"}},
		{"run --strategy postgres_queue --server postgres=s3cret",
			[]string{"--server: postgres: want an address such as postgres://"}},
		{"attack http://h/ --unix-socket nobody.sock --n 1",
			[]string{"--unix-socket: no server listens: nobody.sock: no such file or directory"}},
		{"capacity --objective shed<1% --load-range 1,2 --rate-range 1,2",
			[]string{"--load-range and --rate-range exclude each other"}},
		{"capacity --objective shed<1% --target token_bucket",
			[]string{"limits a rate, so a load relative to the limit has no meaning; give a rate"}},
		{"capacity --objective shed<1% --arrival closed",
			[]string{"arrival closed: its clients set the pace, so it accepts neither load nor rate"}},
		{"capacity --objective shed<1% --confidence 30%",
			[]string{"confidence 0.3: want a share of at least 0.5"}},
		{"capacity --objective shed<1% --resolution 0.0001",
			[]string{"resolution 0.0001: want a share of at least 0.001"}},
		{"capacity --objective shed<1% --clock virtual --count 5",
			[]string{"5 runs at a load are too few for this confidence, which needs 6"}},
		{"capacity --objective shed<1% --count 0",
			[]string{`--count: want a whole number from 1 to 1000000, got "0"`}},
		{"capacity --objective shed<1% --strategy pool",
			[]string{`--strategy: unknown strategy "pool" (known: `}},
		{"capacity --objective shed<1% --run-limit -1s",
			[]string{"--run-limit: want a duration above 0, at most 87600h, got -1s"}},
		{"capacity --objective shed<1% --run-limit 1ms",
			[]string{"--run-limit: want 20ms or more, got 1ms"}},
		{"study load --run-limit 1ms", []string{"--run-limit: want 20ms or more, got 1ms"}},
		{"capacity --objective shed<1% --force",
			[]string{"--force, --append and --resume need the directory, --out"}},
		{"capacity --objective shed<1% --out full", []string{"--out: full exists already"}},

		{"study", []string{"study: NAME is missing (known: "}},
		{"study load scrapes", []string{`unknown study "scrapes" (did you mean scrape?)`}},
		{"study load load", []string{"study load is named twice"}},
		{"study load --strategy serials",
			[]string{`--strategy: unknown strategy "serials" (did you mean serial?)`}},
		{"study load --rate 5", []string{"unknown flag --rate (poolbench help --all study " +
			"lists all flags)"}},
		{"study load --quick --full", []string{"--quick and --full exclude each other"}},
		{"study load --expect maybe",
			[]string{`--expect: "maybe" is no verdict (holds, does-not-hold, depends)`}},
		{"study load --expect undecided", []string{`--expect: "undecided" is no verdict`}},
		{"study all load", []string{`unknown study "all" (known: `}},

		{"run --timeout 0s --n 5", []string{"--timeout: "}},
		{"run --strategy weighted_semaphore --workload exponential:weights=uniform(1,9) --limit 8",
			[]string{"a weight of 9 is above the limit of 8"}},
		{"run --workload bimodal:weights=exp(3)",
			[]string{"--workload: workload bimodal: weights: want whole numbers from 1 to 1048576, " +
				"as 4, uniform(1,8) or mixture(0.9,1,0.1,8), got \"exp(3)\""}},
		{"run --workload evil --n 5",
			[]string{"workload evil: some of its tasks end only when they are cancelled, so give a " +
				"timeout"}},
		{"run --workload sql_query --clock virtual", []string{"workload sql_query: files, " +
			"sockets and databases have no virtual time, so use the real clock"}},
		{"run --workload sql_query --dsn postgres://u:secret@localhost/x --n 5",
			[]string{"--dsn: no workload is sql_query:db=postgres"}},

		{"compare", []string{"compare: OLD is missing (usage: poolbench compare OLD [NEW...] " +
			"[flags])"}},
		{"compare nowhere good.txt", []string{"nowhere"}},
		{"compare good.txt full", []string{"full: no results.txt in it"}},
		{"compare good.txt empty.txt", []string{"empty.txt"}},
		{"compare good.txt a-file", []string{"a-file"}},
		{"compare good.txt newer.txt", []string{"newer.txt"}},
		{"compare good.txt other.txt", []string{"have no benchmark in common"}},
		{"compare good.txt good.txt --metric ops",
			[]string{"compare: no metric ops in good.txt or good.txt (there are sec/op)"}},
		{"run --strategy token_bucket:rate=9.5,no_such:rate=10",
			[]string{"--strategy: unknown strategy \"no_such\""}},
		{"compare good.txt good.txt --alpha 0",
			[]string{`--alpha: want a share from 1e-09, got "0"`}},
		{"compare good.txt good.txt --format html",
			[]string{`--format: unknown value "html" (known: text, markdown, csv, json)`}},
		{"gate good.txt", []string{"gate: NEW is missing (usage: poolbench gate (OLD NEW | " +
			"--base REV | --bisect GOOD BAD) [flags])"}},
		{"gate --base HEAD good.txt",
			[]string{"gate: --base and results to compare (good.txt) exclude each other"}},
		{"gate --base HEAD --allow-partial",
			[]string{"gate: --allow-partial needs two results"}},
		{"gate good.txt good.txt --bench .",
			[]string{"gate: --bench applies to revisions that gate measures, so it needs --base"}},
		{"gate good.txt good.txt --quiet --seed 2",
			[]string{"gate: --seed applies to revisions that gate measures, so it needs --base"}},
		{"gate --base HEAD --benchtime 0s",
			[]string{`--benchtime: want a duration above 0 such as 250ms, or iterations such as 100x, got "0s"`}},
		{"gate --base HEAD --benchtime x", []string{`--benchtime: want a duration above 0`}},
		{"gate --base HEAD --layouts 0", []string{"gate: layouts 0: want 1 to 100"}},
		{"gate --base HEAD --pairs 101", []string{"gate: pairs 101: want 1 to 100"}},
		{"gate --base HEAD --bench (", []string{`gate: bench: "(" is no regular expression: `}},
		{"gate --base HEAD --margin 5% --promise 1%",
			[]string{"gate: a promise of 0.01 is not between the margin of 0.05 and 1"}},
		{"gate --base HEAD --run-limit -1s",
			[]string{"--run-limit: want a duration above 0, at most 87600h, got -1s"}},
		{"gate --base HEAD --resume",
			[]string{"--resume and --force need the directory, --out"}},
		{"gate --base HEAD --out full",
			[]string{"--out: full exists already: --force replaces it, --resume continues"}},
		{"gate --base= --out x", []string{"--base: the value is empty"}},
		{"gate --base HEAD --quiet", []string{"is not in a git repository with a working tree"}},
		{"gate --base HEAD --quiet --dir a-file", []string{"a-file is not a directory"}},
		{"gate --base HEAD --quiet --dir nowhere", []string{"nowhere"}},
		{"gate good.txt nowhere", []string{"nowhere"}},
		{"gate good.txt good.txt --margin 1",
			[]string{`--margin: want a share such as 10% or 0.1, at least 0 and below 1, got "1"`}},
		{"gate good.txt good.txt --margin 5% --promise 1%",
			[]string{"gate: a promise of 0.01 is not between the margin of 0.05 and 1"}},
		{"report", []string{"report: DIR is missing (usage: poolbench report DIR [DIR...] [flags])"}},
		{"report nowhere", []string{"nowhere"}},
		{"report full", []string{"full: no results.txt in it"}},
		{"report cut", []string{"cut/results.txt"}},
	} {
		t.Run(c.args, func(t *testing.T) {
			t.Chdir(t.TempDir())
			clitest.Write(t, "a-file", "this is no benchmark\n")
			clitest.Write(t, "empty.txt", "")
			clitest.Write(t, "good.txt", "BenchmarkA 1 5 ns/op\n")
			clitest.Write(t, "other.txt", "BenchmarkB 1 5 ns/op\n")
			clitest.Write(t, "newer.txt",
				"# poolbench results 99\nBenchmarkA 1 5 ns/op\n# complete 1 runs\n")
			for _, dir := range []string{"full", "cut"} {
				if err := os.Mkdir(dir, 0o777); err != nil {
					t.Fatal(err)
				}
			}
			clitest.Write(t, "full/of.things", "")
			clitest.Write(t, "cut/results.txt", "# poolbench results 1\nBenchm")
			before := clitest.Tree(t)
			o := clitest.Command(t, strings.Fields(c.args)...)
			lines := strings.Split(strings.TrimSuffix(o.Stderr, "\n"), "\n")
			if o.Code != clitest.Unusable || o.Stdout != "" || len(lines) != len(c.want) {
				t.Errorf("exit code %d, stdout %q, %d lines in stderr:\n%s", o.Code, o.Stdout,
					len(lines), o.Stderr)
			}
			for i, line := range lines {
				if !strings.HasPrefix(line, "poolbench: ") || i < len(c.want) &&
					!strings.Contains(line, c.want[i]) {
					t.Errorf("line %q, want in it %q", line, c.want[min(i, len(c.want)-1)])
				}
			}
			if after := clitest.Tree(t); after != before {
				t.Errorf("left behind:\n%s\nthere was:\n%s", after, before)
			}
		})
	}
}

func TestEmptyValues(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	t.Chdir(t.TempDir())
	allowed := map[string]bool{"compare --col": true, "compare --row": true,
		"compare --table": true, "gate --args": true}
	for _, c := range clitest.Root().Commands() {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if name := c.Name() + " --" + f.Name; !allowed[name] && f.NoOptDefVal == "" {
				o := clitest.Command(t, c.Name(), "--"+f.Name+"=", "x")
				if o.Code != clitest.Unusable || o.Stdout != "" ||
					!strings.HasPrefix(o.Stderr, "poolbench: --"+f.Name+": ") ||
					strings.Count(o.Stderr, "\n") != 1 {
					t.Errorf("%s with an empty value: exit code %d\n%s", name, o.Code, o.Stderr)
				}
			}
		})
	}
	for _, args := range [][]string{{"compare", "", "new"}, {"report", ""}, {"serve", ""},
		{"attack", " "}, {"study", ""}} {
		if o := clitest.Command(t, args...); o.Code != clitest.Unusable ||
			!strings.HasSuffix(o.Stderr, ": argument 1 is empty\n") {
			t.Errorf("%q: exit code %d\n%s", args, o.Code, o.Stderr)
		}
	}
}

func TestManyMistakes(t *testing.T) {
	const most = terminal.MaxLines
	t.Chdir(t.TempDir())
	clitest.Write(t, "many.yaml", strings.Repeat("- strategy: nobody\n", 1000))
	o := clitest.Command(t, "run", "--file", "many.yaml")
	lines := strings.Split(strings.TrimSuffix(o.Stderr, "\n"), "\n")
	if o.Code != clitest.Unusable || len(lines) != most+1 ||
		!strings.HasPrefix(lines[0], "poolbench: many.yaml:1:13: strategy: unknown strategy") ||
		lines[most] != "poolbench: and 980 more" {
		t.Errorf("exit code %d, %d lines: %s", o.Code, len(lines), o.Stderr)
	}
}

func TestUnwritable(t *testing.T) {
	t.Chdir(t.TempDir())
	const nowhere = "/proc/poolbench" // not even root can create this directory
	o := clitest.Command(t, clitest.Quick("--out", nowhere)...)
	if o.Code != clitest.Unusable || strings.Count(o.Stderr, "\n") != 1 ||
		!strings.Contains(o.Stderr, "--out: ") {
		t.Errorf("exit code %d\n%s", o.Code, o.Stderr)
	}
}

func TestFullStdout(t *testing.T) {
	if testing.Short() {
		t.Skip("long: skipped with -short")
	}
	device := clitest.FullDevice(t)
	t.Chdir(t.TempDir())
	clitest.Write(t, "good.txt", "BenchmarkA 1 5 ns/op\n")
	for _, args := range []string{"--help", "run --help", "list", "list targets none", "version",
		"version --format json", "completion bash",
		"compare good.txt good.txt", "run --dry-run",
		"run --clock virtual --strategy semaphore --n 500 --quiet --out x"} {
		full, err := os.OpenFile(device, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		code := cli.Run(t.Context(), strings.Fields(args), strings.NewReader(""), full, &stderr)
		if want := "poolbench: standard output: write /dev/full: no space left on device\n"; code !=
			clitest.Unusable || stderr.String() != want {
			t.Errorf("%s: exit code %d, stderr %q", args, code, stderr.String())
		}
		if err := full.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestFullStream(t *testing.T) {
	device := clitest.FullDevice(t)
	t.Chdir(t.TempDir())
	o := clitest.Command(t, clitest.Quick("--progress-json", device, "--out", "x")...)
	if want := "poolbench: --progress-json: " + device + ": no space left on device\n"; o.Code !=
		clitest.Unusable || o.Stderr != want ||
		!strings.Contains(o.Stdout, "Report: "+filepath.Join("x", "report.html")) {
		t.Errorf("exit code %d\n%s%s", o.Code, o.Stdout, o.Stderr)
	}
}

func TestClosedStdout(t *testing.T) {
	t.Chdir(t.TempDir())
	clitest.Write(t, "good.txt", "BenchmarkA 1 5 ns/op\n")
	for args, want := range map[string]int{"--help": clitest.Fine, "list": clitest.Fine,
		"compare good.txt good.txt": clitest.Fine, "gate good.txt good.txt": clitest.Undecided} {
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Close(); err != nil {
			t.Fatal(err)
		}
		var stderr strings.Builder
		if code := cli.Run(t.Context(), strings.Fields(args), strings.NewReader(""), w,
			&stderr); code != want || stderr.String() != "" {
			t.Errorf("%s: exit code %d, stderr %q, want %d and nothing", args, code,
				stderr.String(), want)
		}
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	}
}
