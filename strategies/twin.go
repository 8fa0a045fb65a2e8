package strategies

import (
	"fmt"
	"slices"
)

// A Cause is a property of tasks, or of the service that they call, without which a strategy does
// nothing that its Twin does not do.
type Cause int

// The causes.
const (
	NoCause    Cause = iota
	Priorities       // Task.Priority
	Deadlines        // Task.Deadline
	Tenants          // Task.Tenant, which is also a key
	Weights          // Task.Weight
	Calls            // tasks that fail, are refused or are slow by the service that they call
)

// String returns the condition as a clause: "tasks have priorities".
func (c Cause) String() string {
	return [...]string{"", "tasks have priorities", "tasks have deadlines",
		"tasks have tenants or keys", "tasks have weights", "calls fail, are refused or are slow"}[c]
}

// A Twin names a strategy with the same runs.
type Twin struct {
	Of string // its name; it has no twin itself
	// Unless is what makes the runs differ. NoCause: nothing does, at any load
	Unless Cause
}

// String returns both: "priority is worker_pool unless …" without the first name.
func (t Twin) String() string {
	if t.Unless == NoCause {
		return t.Of
	}
	return fmt.Sprintf("%s, unless %v", t.Of, t.Unless)
}

// Distinct returns the strategies in this process whose runs differ, for work with these causes.
// The others have a twin among them. Strategies that wait for a disk or server are left out.
func Distinct(causes ...Cause) []Spec {
	return slices.DeleteFunc(All(), func(s Spec) bool {
		return s.RealClock || s.Twin.Of != "" &&
			(s.Twin.Unless == NoCause || !slices.Contains(causes, s.Twin.Unless))
	})
}
