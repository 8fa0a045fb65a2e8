//go:build !linux

package machine

import "time"

func fineTimers() {}

func sleepThread(d time.Duration) { time.Sleep(d) }

func threadUsage() Usage { return Usage{} }

type runQueue struct{}

func openRunQueue() runQueue { return runQueue{} }

func (runQueue) close() {}

func (runQueue) longest() int64 { return 0 }

func readCounters() counters { return counters{stolen: -1, ticks: -1, stalled: -1} }

func BytesWritten() int64 { return 0 }

func Ticks() (stolen, all, busy int64) { return -1, -1, -1 }
