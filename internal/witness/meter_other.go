//go:build !linux

package witness

import "time"

func fineTimers() {}

func sleepThread(d time.Duration) { time.Sleep(d) }

func threadCPUTime() int64 { return 0 }

type runQueue struct{}

func openRunQueue() runQueue { return runQueue{} }

func (runQueue) close() {}

func (runQueue) longest() int64 { return 0 }
