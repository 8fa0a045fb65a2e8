// Command skipped reads what `gotestsum --jsonfile` wrote of a run of tests, and prints what has
// go test run those that were skipped: lines of a package and a pattern. It leaves out those that
// are skipped everywhere.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
)

// everywhere has the reasons to skip a test that hold on every machine that runs CI, or are about
// the rights that CI has there.
var everywhere = regexp.MustCompile(strings.Join([]string{
	`: too many terms\n`,              // of a series: the law is tested where it converges
	`: follows no law\n`,              // a workload without one
	`: a tie\n`,                       // of two orders, either is right
	`: empty\n`,                       // a queue that cannot be taken from
	`: for TestRun alone\n`,           // what the test starts as its child
	`: known to be broken: TestKnown`, // the fault is asserted there
	`: takes minutes: make studies`,   // a target of its own
	`daily: make (check|test)`,        // CI runs it
	`sweep: make (advice|coverage)`,   // hours of simulation
	`: takes an hour: -poolbench\n`,   // the gate itself, on a quiet machine
	`: may not (make|open|mount) `,    // devices and file systems take root
	`: root may write to every file`,  // and who is not root runs it
}, "|"))

func main() {
	if len(os.Args) != 2 {
		fatal("usage: skipped FILE.json")
	}
	file, err := os.Open(os.Args[1])
	if err != nil {
		fatal(err)
	}
	type test struct{ Package, Test string }
	type group struct {
		pkg   string
		depth int // of subtests: a pattern has as many parts
	}
	groups := map[group][][]string{} // the names at each depth
	said := map[test]string{}
	for lines := bufio.NewReader(file); ; {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			break
		}
		var event struct {
			test
			Action, Output string
		}
		if err := json.Unmarshal(line, &event); err != nil {
			fatal(err)
		}
		switch t := event.test; {
		case t.Test == "":
		case event.Action == "output":
			said[t] += event.Output
		case event.Action == "skip" && !everywhere.MatchString(said[t]):
			names := strings.Split(t.Test, "/")
			g := group{t.Package, len(names)}
			if groups[g] == nil {
				groups[g] = make([][]string, len(names))
			}
			for i, name := range names {
				if name = regexp.QuoteMeta(name); !slices.Contains(groups[g][i], name) {
					groups[g][i] = append(groups[g][i], name)
				}
			}
		case event.Action != "skip":
			delete(said, t) // the output of a test that passed is long
		}
	}
	for g, depths := range groups {
		var parts []string
		for _, names := range depths {
			parts = append(parts, "^("+strings.Join(names, "|")+")$")
		}
		fmt.Println(g.pkg, strings.Join(parts, "/"))
	}
}

func fatal(what any) {
	fmt.Fprintln(os.Stderr, "skipped:", what)
	os.Exit(2)
}
