// Command playground builds the playground, a static page that runs strategies in the reader's
// browser, into a directory. Run it in a clone of the repository:
//
//	go run ./cmd/playground bin/playground
//	python3 -m http.server -d bin/playground
package main

import (
	"fmt"
	"os"

	"github.com/poolbench/poolbench/reports/playground"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./cmd/playground DIRECTORY")
		os.Exit(2)
	}
	if err := playground.Build(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "playground:", err)
		os.Exit(2)
	}
}
