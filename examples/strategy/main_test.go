package main

import (
	"testing"

	"github.com/poolbench/poolbench/strategies/strategytest"
)

func TestReserve(t *testing.T) { strategytest.Run(t, reserve) }
