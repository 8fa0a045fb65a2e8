package main

import (
	"testing"

	"github.com/poolbench/poolbench/strategies/strategytest"
)

// TestReserve holds the strategy to its contract.
func TestReserve(t *testing.T) { strategytest.Run(t, reserve) }
