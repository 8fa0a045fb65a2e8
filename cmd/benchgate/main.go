package main

import (
	"context"
	"os"

	"github.com/poolbench/poolbench/internal/cli/ci"
)

func main() {
	os.Exit(ci.Run(context.Background(), os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}
