package theory_test

import (
	"fmt"

	"github.com/poolbench/poolbench/internal/statistics/theory"
)

// Four slots receive 280 tasks/s with a mean service time of 10 ms. At the same load, waits grow
// with the variance of the service times.
func Example() {
	p := theory.Pool{Rate: 280, MeanService: 0.010, Limit: 4}
	constant, _ := theory.MDk(p)
	exponential, _ := theory.MMk(p)
	h, _ := theory.BalancedH2(p.MeanService, 16)
	varied, _ := theory.MH2k(p.Rate, h, p.Limit)
	for _, a := range []*theory.Answer{constant, exponential, varied} {
		p99, _ := a.ResponseQuantile(0.99)
		fmt.Printf("%-6s mean wait %5.2f ms, p99 response %5.1f ms\n", a.Model,
			1000*a.MeanWait, 1000*p99)
	}
	// Output:
	// M/D/4  mean wait  1.90 ms, p99 response  24.9 ms
	// M/M/4  mean wait  3.57 ms, p99 response  54.9 ms
	// M/H2/4 mean wait 23.55 ms, p99 response 345.2 ms
}

func ExampleUnstableError() {
	_, err := theory.MMk(theory.Pool{Rate: 480, MeanService: 0.010, Limit: 4})
	fmt.Println(err)
	// Output: unstable: utilisation 1.2
}

// A pool with a short queue sheds the excess, so overload is not an error.
func ExampleMMkK() {
	a, _ := theory.MMkK(theory.Pool{Rate: 480, MeanService: 0.010, Limit: 4}, 16)
	fmt.Printf("shed %.1f %%, %.1f tasks a second done, mean wait %.1f ms\n", 100*a.ShedProb,
		a.Throughput, 1000*a.MeanWait)
	// Output: shed 17.2 %, 397.5 tasks a second done, mean wait 29.2 ms
}
