package clitest

import (
	"context"
	"sync"
	"time"

	"github.com/poolbench/poolbench/workloads"
)

func plantCauses() {
	var mu sync.Mutex
	known := workloads.Moments{Mean: 2 * time.Millisecond}
	workloads.Register(workloads.Func("planted_lock", func(context.Context, uint64) error {
		mu.Lock()
		defer mu.Unlock()
		time.Sleep(2 * time.Millisecond)
		return nil
	}, known))
	var kept [64][]byte
	workloads.Register(workloads.Func("planted_garbage", func(_ context.Context, i uint64) error {
		page := make([]byte, 1<<20)
		for at := 0; at < len(page); at += 4096 {
			page[at] = byte(i)
		}
		mu.Lock()
		kept[i%64] = page
		mu.Unlock()
		return nil
	}, known))
}
