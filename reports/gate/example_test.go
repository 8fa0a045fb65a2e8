package gate_test

import (
	"fmt"
	"os"
	"strings"

	"github.com/poolbench/poolbench/reports/compare"
	"github.com/poolbench/poolbench/reports/gate"
	"github.com/poolbench/poolbench/reports/results"
)

func lines(name string, nanoseconds ...int) string {
	var b strings.Builder
	for _, ns := range nanoseconds {
		fmt.Fprintf(&b, "Benchmark%s 1000 %d ns/op\n", name, ns)
	}
	return b.String()
}

func Example() {
	old, err := results.Read(strings.NewReader(lines("Submit", 201, 203, 200, 202, 199, 204)),
		"old.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	new, err := results.Read(strings.NewReader(lines("Submit", 232, 230, 229, 231, 233, 228)),
		"new.txt")
	if err != nil {
		fmt.Println(err)
		return
	}
	comparison, err := compare.Two(old, new, compare.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := compare.WriteText(os.Stdout, comparison, 0); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println()
	verdict, err := gate.Judge(old, new, gate.DefaultOptions())
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := gate.WriteText(os.Stdout, verdict, 0); err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("exit code", verdict.ExitCode())
	// Output:
	// The time per operation of Submit is 14.4 % higher: 230 ns, before 201 ns; of 1 comparison 1 worse
	//
	// sec/op (lower is better)
	// benchmark      old.txt      new.txt  vs base         p, n
	// Submit     201.5n ± 1%  230.5n ± 1%  +14.39%  worse  p=0.002 n=6
	//
	// new.txt against old.txt
	// 1 metric gated: 1 worse, 0 inconclusive, 0 better, 0 no worse
	// tolerance 2 % (--margin); "no worse" excludes a regression of 10 % (--promise); risk of a false alarm 5 % (--alpha)
	// old and new are medians; change is the Hodges–Lehmann estimate, over pairs of runs if there are pairs; detectable is the smallest regression that would be found 4 times in 5
	//
	// verdict  benchmark  metric     old     new   change  interval          n       p  p adj.  detectable
	// worse    Submit     sec/op  201 ns  230 ns  +14.4 %  +12.3 to +16.5 %  6  0.0011  0.0011     +3.74 %
	//
	// gate: worse: sec/op of Submit +14.4 % (+12.3 to +16.5 %)
	// exit code 1
}
