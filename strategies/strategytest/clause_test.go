package strategytest_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/poolbench/poolbench/strategies"
	_ "github.com/poolbench/poolbench/strategies/builtin"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

func TestClausesAreDocumented(t *testing.T) {
	doc, err := os.ReadFile("../doc.go")
	if err != nil {
		t.Fatal(err)
	}
	var documented []string
	for _, m := range regexp.MustCompile(`(?m)^//  +(\d+\. \w+): `).FindAllSubmatch(doc, -1) {
		documented = append(documented, string(m[1]))
	}
	var tested []string
	for i, c := range strategytest.Clauses() {
		tested = append(tested, fmt.Sprintf("%d. %s", i+1, c.Name))
	}
	if !slices.Equal(documented, tested) {
		t.Errorf("documented: %q\ntested:     %q", documented, tested)
	}
}

func ExampleClauses() {
	spec, err := strategies.Lookup("semaphore")
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range strategytest.Clauses() {
		if err := c.Check(spec); err != nil {
			fmt.Printf("%s: %v\n", c.Name, err)
		}
	}
	fmt.Println("done")
	// Output: done
}
