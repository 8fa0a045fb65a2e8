// Command poolbench measures strategies for bounding concurrency: their effect on throughput and
// response time.
//
// A test runs the lines of this manual that begin with $ and compares the output. In the expected
// output, … stands for any text.
//
// # Run
//
// A scenario consists of a strategy, the tasks' work (workload), the service they call (target),
// their due times (arrival), a load and a limit. run tries all combinations of its flags' values:
//
//	$ poolbench run --clock virtual --strategy worker_pool,bounded_queue_shed --load 0.8 --queue 4 --n 20000 --count 10 --quiet --out before
//	At load 0.8 the p99 response is 49.6 ms with bounded_queue_shed (5.91 % of tasks shed) and 68.8 ms with
//	  worker_pool (no task lost), 1.4 times as long
//	✓ VALID 2 · virtual clock, 20 runs
//
//	exponential, poisson arrivals, limit 4, load 0.8, 20000 tasks, virtual clock, arrived 321 /s; median of 10 runs
//	  strategy                     throughput  mean response      p50      p99  mean wait  waited    shed
//	  worker_pool, queue 4             321 /s        17.3 ms  13.3 ms  68.8 ms    7.34 ms  59.1 %     0 %
//	  bounded_queue_shed, queue 4      302 /s        12.5 ms  9.82 ms  49.6 ms    2.55 ms  46.4 %  5.91 %
//	  95 % interval of the p99: ±2.14 % to ±8.17 %
//
//	Report: before/report.html
//	…
//
// Response time is measured from the time a task was due. The wait is the part of the response time
// outside of the task's work. Throughput counts completed tasks. Shed tasks have no response time.
// A cell is – if there are too few tasks: a p99 needs 368, a p99.9 3688.
//
// Under the virtual clock the same seed gives the same bytes, except for simultaneous events, and
// an hour of load takes seconds. It shows only scheduling. The real clock, which is the default,
// also shows the CPU, memory and lock costs of a strategy.
//
// Names can have parameters, and list explains them:
//
//	$ poolbench list workloads hyperexp
//	hyperexp: …
//	…
//	$ poolbench run --clock virtual --workload hyperexp:mean=10ms,c2=16 --strategy all --limit 4,8 --n 2000 --quiet
//	…
//
// A file can replace the flags. With --dry-run nothing is run:
//
//	$ cat scenarios.yaml
//	- strategy: [worker_pool, semaphore]
//	  workload: hyperexp:mean=10ms,c2=16
//	  load: [0.5, 0.8]
//	  clock: virtual
//	- strategy: all
//	  arrival: bulk:n=50
//	  deadline: 100ms
//	  n: 5000
//	  clock: virtual
//	$ poolbench run --file scenarios.yaml --dry-run
//	# scenarios.yaml:1:3
//	Run/strategy=worker_pool/workload=hyperexp/target=none/arrival=poisson/limit=4/load=0.5/n=750000/clock=virtual
//	Run/strategy=semaphore/workload=hyperexp/target=none/arrival=poisson/limit=4/load=0.5/n=750000/clock=virtual
//	…
//
// In a [list] YAML splits at every comma, so quote a name with parameters there.
//
// # Objectives and capacity
//
// An objective is a bound on a metric. run fails if the median of a scenario's repetitions misses
// the objective. capacity searches for the highest load that meets it:
//
//	$ poolbench run --clock virtual --strategy worker_pool --load 0.9 --count 6 --n 5000 --objective 'p99-response<80ms' --quiet # exit code 1
//	…
//	objectives: 1 missed
//	  missed: p99-response<80ms: …
//	$ poolbench capacity --clock virtual --strategy worker_pool --n 2000 --resolution 5% --objective 'p99-response<80ms' --quiet
//	highest load that meets p99-response<80ms, with 95 % confidence
//
//	exponential, poisson arrivals, limit 4, 2000 tasks, virtual clock
//	  strategy     …
//	  worker_pool  …
//	…
//
// The answer is an interval: the objective is met at one end and missed at the other.
//
// # Questions
//
// A study has scenarios, and a rule that decides from their results whether a claim holds, does not
// hold, or depends on something.
//
//	$ poolbench study scrape --dry-run
//	# scrape: which strategies scrape a site that bans clients, without a ban and without a loss?
//	…
//
// Some workloads do not end by themselves, and some targets reject calls:
//
//	$ poolbench run --clock virtual --strategy semaphore --workload evil --load 0.5 --n 1000 --quiet # exit code 2
//	$ poolbench run --clock virtual --strategy semaphore --workload evil --load 0.5 --n 1000 --timeout 1s --quiet
//	…
//	$ poolbench list targets conn_pool
//	conn_pool: …
//	…
//
// # HTTP
//
// serve makes a target available on loopback. attack loads any URL with an open loop, or a closed
// loop with --clients. gateway measures a server whose handler uses a strategy.
//
//	$ poolbench gateway --strategy worker_pool --limit 4 --rate 200 --duration 1s --dry-run
//	…
//
// # What may be believed
//
// calibrate measures the precision of the machine, and compares results with known answers from
// theory:
//
//	$ poolbench calibrate --dry-run
//	# A1: M/M/4 at load 0.8
//	…
//
// # Compare and gate
//
// Results are in the Go benchmark format. compare and gate accept a run directory, its results.txt
// and the output of go test -bench.
//
//	$ poolbench run --clock virtual --strategy worker_pool,bounded_queue_shed --load 0.8 --queue 4 --n 20000 --count 10 --seed 101 --quiet --out after
//	…
//	$ poolbench compare before after --metric p99-response-sec
//	…
//	$ poolbench gate before after --metric p99-response-sec
//	…
//	gate: pass: no regression of 10 % or more in 2 metrics
//
// The gate rules out a p99 that is 10 % higher. To rule out 3 %, more or longer runs are needed.
// Inconclusive is not a pass:
//
//	$ poolbench gate before after --metric p99-response-sec --promise 3% # exit code 3
//	…
//	gate: inconclusive: …
//
// Within one file, strategies are compared with one another by a projection:
//
//	$ poolbench compare after --col /strategy --metric p99-response-sec
//	…
//
// gate --base measures two revisions of a Go module alternately, with the module's own benchmarks
// and controls. trend finds the changes in a series of at least ten results:
//
//	$ poolbench trend before after --metric p99-response-sec # exit code 3
//	Nothing is tested: 2 results, but a test needs 10 results or more
//	…
//
// # Exit codes
//
// If several apply, the first in the order 130, 2, 1, 3, 0 counts.
//
//	0    fine
//	1    a regression; an objective that is missed, or that a strategy meets at no load searched
//	2    bad usage or input; a missing benchmark or a run without a result; nothing left to judge
//	3    not decidable: inconclusive, too few samples, a measurement that is INVALID
//	130  interrupted; the written results are whole, and marked partial
//
// Errors are on standard error, one line each, and begin with "poolbench: ".
package main
