package strategies

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
)

// A Part wraps a strategy in a composition, such as a retry or a rate limit.
type Part struct {
	Name    string      // lower_snake
	Summary string      // one line: what it does to the strategy inside
	Keys    []param.Key // its parameters

	Changes Role
	Holds   bool                 // it keeps accepted tasks outside the inner strategy
	Check   func(p Params) error // validates p.Values; nil: all values are valid
	// Refuses explains why the part is useless around inner. It may be nil.
	Refuses func(own param.Values, inner Spec) error
	// Alter changes the facts of s, which are inner's, to the composition's.
	Alter func(s *Spec, inner Spec, l Layer)
	Start func(ctx context.Context, own param.Values, inner Spec, in Params, sink Sink) Strategy
}

func (p Part) String() string { return p.Name }

// A Role is the kind of decision that a part changes.
type Role int

const (
	Admission Role = iota // when or whether a task may start
	Attempts              // how often a task is run
	Routing               // the instance that runs a task
	Hedging               // whether a second attempt runs in parallel with the first
)

func (r Role) String() string {
	return [...]string{"admission", "attempts", "routing", "second attempts"}[r]
}

var partSet = registry.Set[Part]{Kind: "part", Keys: func(p Part) []param.Key { return p.Keys }}

// RegisterPart adds a part to Parts. It panics if the name is registered already or is not
// lower_snake.
func RegisterPart(p Part) Part { return partSet.Add(p.Name, p) }

// Parts returns all parts, sorted by name.
func Parts() []Part { return partSet.All() }

// Compose makes a strategy of base and the parts around it, outermost first. A retry repeats
// everything inside it: a rate inside a retry limits attempts, a rate outside it limits tasks.
// Limit and Queue apply to base. The error explains why a part is useless in its position.
//
//	v, err := strategies.Compose(strategies.MustParse("worker_pool"), retry, rate)
func Compose(base Variant, parts ...PartVariant) (Variant, error) {
	if len(parts) == 0 {
		return base, nil
	}
	spec := baseSpec(base)
	if spec.RealClock || spec.Open != nil {
		return Variant{}, fmt.Errorf("strategy %s: it cannot be composed, because a part keeps "+
			"tasks in memory, but its accepted tasks survive the process", base.Spec.Name)
	}
	values := []param.Values{base.Values}
	for _, v := range slices.Backward(parts) {
		var err error
		if v.Values, err = v.Values.OrDefaults(v.Spec.Keys); err != nil {
			return Variant{}, fmt.Errorf("part %s: %w", v.Spec, err)
		}
		if spec, err = addPart(v, spec); err != nil {
			return Variant{}, err
		}
		values = append([]param.Values{v.Values}, values...)
	}
	return Variant{Spec: withValidation(spec), Values: param.Join(values...)}, nil
}

// PartStrategy makes a strategy of a part around base, under the part's name and with its
// parameters. words has the texts of the new Spec.
func PartStrategy(part Part, base, words Spec) Spec {
	s, err := addPart(PartVariant{Spec: part}, baseSpec(Variant{Spec: base}))
	if err != nil {
		panic(err)
	}
	whole := func(p Params) Params {
		p.Values = param.Join(p.Values, param.Values{})
		return p
	}
	s.mapParams(whole)
	s.Name, s.Keys, s.Parts, s.Base, s.Around = part.Name, part.Keys, 0, "", nil
	s.Summary, s.UseIf, s.Source, s.OnPanic = words.Summary, words.UseIf, words.Source,
		words.OnPanic
	s.Twin = words.Twin
	return s
}

func baseSpec(base Variant) Spec {
	s := base.Spec
	l := Layer{values: base.Values}
	own := func(p Params) Params {
		p.Values, _ = l.Split(p)
		return p
	}
	s.mapParams(own)
	s.Name, s.Keys, s.Go, s.Given = base.String(), nil, nil, nil
	s.Twin, s.Bare = Twin{}, Bare{}
	s.Base = base.Spec.Name
	return s
}

func (s *Spec) mapParams(of func(Params) Params) {
	start := s.New
	s.New = func(ctx context.Context, p Params, sink Sink) Strategy {
		return start(ctx, of(p), sink)
	}
	s.Bound, s.Capacity = withParams(s.Bound, of), withParams(s.Capacity, of)
	s.Quantum, s.ClassPools = withParams(s.Quantum, of), withParams(s.ClassPools, of)
	s.Starts, s.Durability = withParams(s.Starts, of), withParams(s.Durability, of)
	s.ByPriority, s.Weights = withParams(s.ByPriority, of), withParams(s.Weights, of)
	s.TenantWeights, s.Stages = withParams(s.TenantWeights, of), withParams(s.Stages, of)
	s.Check = withParams(s.Check, of)
}

func withParams[T any](fact func(Params) T, of func(Params) Params) func(Params) T {
	if fact == nil {
		return nil
	}
	return func(p Params) T { return fact(of(p)) }
}

// A Layer selects the Params of one part, or of the base, from those of a composition.
type Layer struct{ values param.Values }

// Split returns the part's Values and the Params of the inner strategy. If p has no Values, those
// of Compose apply.
func (l Layer) Split(p Params) (own param.Values, inner Params) {
	all := p.Values.Parts()
	if len(all) == 0 {
		p.Values = param.Values{}
		return l.values, p
	}
	p.Values = param.Join(all[1:]...)
	return all[0], p
}

func (l Layer) inner(p Params) Params {
	_, in := l.Split(p)
	return in
}

func addPart(v PartVariant, inner Spec) (Spec, error) {
	part, l := v.Spec, Layer{values: v.Values}
	if err := incompatible(v, inner); err != nil {
		return Spec{}, fmt.Errorf("%s before %s: %w", v, inner.Name, err)
	}
	s := inner
	s.mapParams(l.inner)
	inside := s.Check
	s.Check = func(p Params) error {
		own, _ := l.Split(p)
		if part.Check != nil {
			if err := part.Check(Params{Limit: p.Limit, Queue: p.Queue, Values: own}); err != nil {
				return err
			}
		}
		if inside != nil {
			return inside(p)
		}
		return nil
	}
	s.Name = v.String() + "+" + inner.Name
	s.Summary = part.Summary + "; inside it " + inner.Name
	s.Source = "composed"
	s.Resizes = false // the outer part does not forward Resize
	s.Parts += max(1, len(part.Keys))
	s.Around = append([]string{part.Name}, inner.Around...)
	if part.Holds || part.Changes == Routing { // the inner strategy orders only the tasks inside it
		s.ByPriority, s.ByDeadline, s.Weights, s.TenantWeights = nil, false, nil, nil
		s.KeyOrder = false
	}
	part.Alter(&s, inner, l)
	s.New = func(ctx context.Context, p Params, sink Sink) Strategy {
		own, in := l.Split(p)
		return part.Start(ctx, own, inner, in, sink)
	}
	return s, nil
}

func incompatible(v PartVariant, inner Spec) error {
	part := v.Spec
	for _, name := range inner.Around {
		if other, _ := partSet.Lookup(name); other.Changes == part.Changes &&
			part.Changes != Admission {
			return fmt.Errorf("%s is already present, and one is enough: it also changes %s", name,
				part.Changes)
		}
	}
	if part.Changes == Attempts && inner.Retries {
		return fmt.Errorf("%s already retries", inner.Base)
	}
	if part.Changes == Attempts && inner.Ends {
		return fmt.Errorf("%s ends all tasks at the first failure, so a retry is useless",
			inner.Base)
	}
	if part.Changes == Routing && inner.ClassPools != nil {
		return fmt.Errorf("%s already separates classes",
			cmp.Or(slices.Concat(inner.Around, []string{inner.Base})...))
	}
	if part.Holds && inner.ClassPools != nil {
		return fmt.Errorf("tasks of one class would wait for tasks of another: put %s outermost",
			cmp.Or(slices.Concat(inner.Around, []string{inner.Base})...))
	}
	if part.Refuses == nil {
		return nil
	}
	return part.Refuses(v.Values, inner)
}
