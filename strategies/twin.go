package strategies

import (
	"fmt"
	"slices"
)

// A Cause is a property of tasks or of the called service that makes a strategy differ from its
// Twin.
type Cause int

const (
	NoCause    Cause = iota // the runs never differ
	Priorities              // Task.Priority
	Deadlines               // Task.Deadline
	Tenants                 // Task.Tenant, which also serves as key
	Weights                 // Task.Weight
	Calls                   // calls to a service that fail, are refused or are slow
)

func (c Cause) String() string {
	return [...]string{"", "tasks have priorities", "tasks have deadlines",
		"tasks have tenants or keys", "tasks have weights", "calls fail, are refused or are slow"}[c]
}

// A Twin names a strategy with the same runs.
type Twin struct {
	Of string // name of the other strategy, which has no twin itself
	// Unless is the condition under which the runs differ. NoCause: they never differ.
	Unless Cause
}

func (t Twin) String() string {
	if t.Unless == NoCause {
		return t.Of
	}
	return fmt.Sprintf("%s, unless %v", t.Of, t.Unless)
}

// Distinct returns the in-process strategies whose runs differ for tasks with these causes. Each
// omitted one has a twin in the result.
func Distinct(causes ...Cause) []Spec {
	return slices.DeleteFunc(All(), func(s Spec) bool {
		return s.RealClock || s.Twin.Of != "" &&
			(s.Twin.Unless == NoCause || !slices.Contains(causes, s.Twin.Unless))
	})
}
