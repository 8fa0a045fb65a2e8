package charts_test

import (
	"fmt"
	"io"

	"github.com/poolbench/poolbench/reports/charts"
)

func ExampleResponse() {
	load := []float64{0.5, 0.8, 0.9}
	chart, err := charts.Response("Response against load", charts.Load, []charts.Panel{{
		Title: "p99 response",
		Series: []charts.Series{
			{Name: "semaphore", Style: 0, X: load, Y: []float64{0.048, 0.069, 0.122}},
			{Name: "worker_pool", Style: 1, X: load, Y: []float64{0.048, 0.069, 0.122}},
			{Name: "unbounded", Style: 2, X: load, Y: []float64{0.046, 0.046, 0}},
		},
	}})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println("equal in every point:", chart.Same)
	fmt.Println("left out:", chart.Notes)
	fmt.Println(chart.SVG(io.Discard, charts.Wide), chart.PNG(io.Discard))
	// Output:
	// equal in every point: [[semaphore worker_pool]]
	// left out: [p99 response: 1 point of unbounded omitted (0 or not a number)]
	// <nil> <nil>
}
