package metric

import (
	"fmt"
	"strings"
)

// Times of tasks, as in p99-response-sec.
const (
	Response  = "response"
	Wait      = "wait"
	Service   = "service"
	FirstByte = "first-byte"
)

// Statistics of a part other than quantiles.
const (
	Mean = "mean"
	Max  = "max"
)

// StatisticOf returns the name of a statistic of a time, such as mean-wait-sec.
func StatisticOf(statistic, time string) string { return statistic + "-" + time + "-sec" }

// IsOf reports whether a metric is a statistic of the time, for all or some tasks.
func IsOf(unit, time string) bool { return strings.HasSuffix(unit, "-"+time+"-sec") }

// IsMax reports whether a metric is the largest value of a run.
func IsMax(unit string) bool { return strings.HasPrefix(unit, Max+"-") }

// Low returns the name of the lower end of a metric's 95 % interval.
func Low(unit string) string { return interval(unit, "-low-sec") }

// High returns the name of the upper end of a metric's 95 % interval.
func High(unit string) string { return interval(unit, "-high-sec") }

// ESS returns the name of a metric's effective sample size.
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

// Theory returns the name of the exact value of a metric.
func Theory(unit string) string { return theory + unit }

// CutTheory returns the metric whose exact value is unit. ok is false for other units.
func CutTheory(unit string) (of string, ok bool) { return strings.CutPrefix(unit, theory) }

// IsTheory reports whether a metric is an exact value.
func IsTheory(unit string) bool { return strings.HasPrefix(unit, theory) }

// CapacityMet returns the name of a capacity search's result on an axis, such as capacity-met-load.
func CapacityMet(axis string) string { return capacity + "met-" + axis }

// CapacityMissed returns the name of the first value beyond the result.
func CapacityMissed(axis string) string { return capacity + "missed-" + axis }

// IsCapacity reports whether a metric is a result of a capacity search.
func IsCapacity(unit string) bool { return strings.HasPrefix(unit, capacity) }

// ShareOf returns the name of the share of tasks with an outcome, such as shed/op.
func ShareOf(outcome string) string { return outcome + "/op" }

// A Part of a response has metrics for its mean over all tasks, and for its mean and share in the
// slowest 1 %.
type Part string

// The parts in chronological order. PartTarget is contained in PartService.
const (
	PartLag     Part = "lag"
	PartBlocked Part = "blocked"
	PartQueued  Part = "queued"
	PartBetween Part = "between"
	PartService Part = "service"
	PartTarget  Part = "target"
)

// Mean returns the name of the part's mean.
func (p Part) Mean() string { return StatisticOf(Mean, string(p)) }

// Tail returns the name of the part's mean in the slowest 1 %.
func (p Part) Tail() string { return StatisticOf("tail", string(p)) }

// TailShare returns the name of the part's share of the response in the slowest 1 %.
func (p Part) TailShare() string { return ShareOf("tail-" + string(p)) }

// IsTailShare reports whether a metric is a part's share of the response in the slowest 1 %.
func IsTailShare(unit string) bool {
	return strings.HasPrefix(unit, "tail-") && strings.HasSuffix(unit, "/op")
}

// Kinds of tasks with their own metrics: classes, priorities and tenants. The kind is a prefix:
// short-p99-response-sec, tenant-0-ops/s.
const (
	ClassShort = "short"
	ClassLong  = "long"
	ClassCPU   = "cpu"
	ClassIO    = "io"
	Priority   = "priority" // followed by a number, like Tenant
	Tenant     = "tenant"
	Others     = "others" // all tenants except the one with the most tasks
)

// OfKind returns the name of a metric of a kind of tasks.
func OfKind(kind, unit string) string { return kind + "-" + unit }

// OfPriority returns the name of a metric of a priority.
func OfPriority(priority int, unit string) string {
	return fmt.Sprintf("%s-%d-%s", Priority, priority, unit)
}

// OfTenant returns the name of a metric of a tenant.
func OfTenant(tenant int, unit string) string {
	return fmt.Sprintf("%s-%d-%s", Tenant, tenant, unit)
}

// Share is the share of slot time of a tenant or of Others.
const Share = "share"

// FoundLong returns the name of the share of short tasks that find the given number of slots
// occupied by long tasks.
func FoundLong(slots int) string { return ShareOf(fmt.Sprintf("found-%d-long", slots)) }

// FoundLongWait returns the name of the mean wait of these tasks.
func FoundLongWait(slots int) string { return fmt.Sprintf("found-%d-long-wait-sec", slots) }

// OfPipeline returns the name of the utilisation of a stage of a pipeline. Stages count from 1.
func OfPipeline(stage int) string { return fmt.Sprintf("pipeline-%d-%s", stage, Utilisation) }

// Count is the number of sessions, or of requests of a step.
const Count = "count"

// OfStep returns the name of a metric of a session step. The first step is 1.
func OfStep(step int, name, unit string) string {
	return fmt.Sprintf("step%d-%s-%s", step, name, unit)
}

// IsOfSessions reports whether a metric belongs to sessions or to one of their steps.
func IsOfSessions(unit string) bool {
	return strings.HasPrefix(unit, Sessions) || strings.HasPrefix(unit, "step")
}
