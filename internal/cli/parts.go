package cli

// What is too heavy for every user of package bench registers itself.
import (
	_ "github.com/poolbench/poolbench/strategies/peers"
	_ "github.com/poolbench/poolbench/workloads/regex"
	_ "github.com/poolbench/poolbench/workloads/sql"
)
