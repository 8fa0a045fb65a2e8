package metric

import (
	"fmt"
	"strings"
)

const (
	Response  = "response"
	Wait      = "wait"
	Service   = "service"
	FirstByte = "first-byte"
)

const (
	Mean = "mean"
	Max  = "max"
)

func StatisticOf(statistic, time string) string { return statistic + "-" + time + "-sec" }

// IsOf includes statistics of some tasks, such as a priority's.
func IsOf(unit, time string) bool { return strings.HasSuffix(unit, "-"+time+"-sec") }

func IsMax(unit string) bool { return strings.HasPrefix(unit, Max+"-") }

func Low(unit string) string { return interval(unit, "-low-sec") }

func High(unit string) string { return interval(unit, "-high-sec") }

// ESS names a metric's effective sample size.
func ESS(unit string) string { return interval(unit, "-ess") }

func interval(unit, suffix string) string { return strings.TrimSuffix(unit, "-sec") + suffix }

const (
	Sessions = "session-"   // of sessions instead of requests
	NextSlot = "next-slot-" // predicted with one more slot
	Even     = "even-"      // predicted with equally long tasks
	NoTarget = "no-target-" // predicted with a target that takes no time

	theory   = "theory-"
	capacity = "capacity-"
)

// Theory names the exact value of a metric.
func Theory(unit string) string { return theory + unit }

func CutTheory(unit string) (of string, ok bool) { return strings.CutPrefix(unit, theory) }

func IsTheory(unit string) bool { return strings.HasPrefix(unit, theory) }

// The axis is load or rate: capacity-met-load.
func CapacityMet(axis string) string { return capacity + "met-" + axis }

// CapacityMissed names the first value beyond the capacity.
func CapacityMissed(axis string) string { return capacity + "missed-" + axis }

func IsCapacity(unit string) bool { return strings.HasPrefix(unit, capacity) }

func ShareOf(outcome string) string { return outcome + "/op" }

// A Part of a response has metrics for its mean over all tasks, and for its mean and share in the
// slowest 1 %.
type Part string

// In chronological order. PartTarget is contained in PartService.
const (
	PartLag     Part = "lag"
	PartBlocked Part = "blocked"
	PartQueued  Part = "queued"
	PartBetween Part = "between"
	PartService Part = "service"
	PartTarget  Part = "target"
)

func (p Part) Mean() string { return StatisticOf(Mean, string(p)) }

func (p Part) Tail() string { return StatisticOf("tail", string(p)) }

func (p Part) TailShare() string { return ShareOf("tail-" + string(p)) }

func IsTailShare(unit string) bool {
	return strings.HasPrefix(unit, "tail-") && strings.HasSuffix(unit, "/op")
}

// Kinds of tasks are prefixes: short-p99-response-sec, tenant-0-ops/s.
const (
	ClassShort = "short"
	ClassLong  = "long"
	ClassCPU   = "cpu"
	ClassIO    = "io"
	Priority   = "priority" // followed by a number, like Tenant
	Tenant     = "tenant"
	Others     = "others" // all tenants except the one with the most tasks
)

func OfKind(kind, unit string) string { return kind + "-" + unit }

func OfPriority(priority int, unit string) string {
	return fmt.Sprintf("%s-%d-%s", Priority, priority, unit)
}

func OfTenant(tenant int, unit string) string {
	return fmt.Sprintf("%s-%d-%s", Tenant, tenant, unit)
}

// Share of slot time of a tenant or of Others.
const Share = "share"

// FoundLong names the share of short tasks that find the given number of slots occupied by long
// tasks.
func FoundLong(slots int) string { return ShareOf(fmt.Sprintf("found-%d-long", slots)) }

func FoundLongWait(slots int) string { return fmt.Sprintf("found-%d-long-wait-sec", slots) }

// OfPipeline names a stage's utilisation. Stages count from 1.
func OfPipeline(stage int) string { return fmt.Sprintf("pipeline-%d-%s", stage, Utilisation) }

// Number of sessions, or of requests of a step.
const Count = "count"

// The first step is 1.
func OfStep(step int, name, unit string) string {
	return fmt.Sprintf("step%d-%s-%s", step, name, unit)
}

func IsOfSessions(unit string) bool {
	return strings.HasPrefix(unit, Sessions) || strings.HasPrefix(unit, "step")
}
