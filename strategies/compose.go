package strategies

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
)

// A Part is what can go around a strategy in a composition.
type Part struct {
	Name    string      // lower_snake
	Summary string      // one line: what it does to the strategy inside
	Keys    []param.Key // its parameters

	role  role
	holds bool                 // it keeps tasks outside what is inside
	check func(p Params) error // of the parameters, which are p.Values; nil: all are possible
	// refuses says why it makes no sense around inner; nil: it always does
	refuses func(own param.Values, inner Spec) error
	// alter changes the facts that are those of inner to those of the composition
	alter func(s *Spec, inner Spec, l layer)
	start func(ctx context.Context, own param.Values, inner Spec, in Params, sink Sink) Strategy
}

// String is the name.
func (p Part) String() string { return p.Name }

// Role is what the part changes: admission, attempts or routing.
func (p Part) Role() string { return [...]string{"admission", "attempts", "routing"}[p.role] }

// A role is what a part changes.
type role int

const (
	admission role = iota // when a task may go on, or whether
	attempts              // how often a task is run
	routing               // where it goes
)

var partSet = registry.Set[Part]{Kind: "part", Keys: func(p Part) []param.Key { return p.Keys }}

func registerPart(p Part) Part { return partSet.Add(p.Name, p) }

// Parts returns all that can go around a strategy, in the order of their names.
func Parts() []Part { return partSet.All() }

// Compose makes a strategy of base and of the parts around it, outermost first: a task comes to a
// part before it comes to what is inside, and each further attempt starts from the part that asks
// for it. So a rate inside a retry paces every attempt, and one outside it paces tasks.
//
//	v, err := strategies.Compose(strategies.MustParse("worker_pool"), retry, rate)
//
// Limit and Queue are those of base; each part has parameters of its own. What the Spec declares is
// derived: the bound is that of base, the order is kept unless a part changes it, and so on. The
// error says why a part makes no sense where it is.
func Compose(base Variant, parts ...PartVariant) (Variant, error) {
	if len(parts) == 0 {
		return base, nil
	}
	spec := grounded(base)
	if spec.RealClock || spec.Open != nil {
		return Variant{}, fmt.Errorf("strategy %s: it cannot be composed: a part keeps tasks in "+
			"memory, and what it has accepted outlives the process", base.Spec.Name)
	}
	values := []param.Values{base.Values}
	for _, v := range slices.Backward(parts) {
		var err error
		if v.Values, err = v.Values.OrDefaults(v.Spec.Keys); err != nil {
			return Variant{}, fmt.Errorf("part %s: %w", v.Spec, err)
		}
		if spec, err = around(v, spec); err != nil {
			return Variant{}, err
		}
		values = append([]param.Values{v.Values}, values...)
	}
	return Variant{Spec: checked(spec), Values: param.Join(values...)}, nil
}

// grounded is the Spec of a base, whose Params have the Values of a composition of one.
func grounded(base Variant) Spec {
	s := base.Spec
	l := layer{values: base.Values}
	own := func(p Params) Params {
		p.Values, _ = l.split(p)
		return p
	}
	s.under(own)
	start := s.New
	s.New = func(ctx context.Context, p Params, sink Sink) Strategy {
		return start(ctx, own(p), sink)
	}
	s.Name, s.Keys, s.Go = base.String(), nil, nil
	s.base = base.Spec.Name
	return s
}

// under has the facts of s asked with other Params.
func (s *Spec) under(of func(Params) Params) {
	s.Bound, s.Capacity = below(s.Bound, of), below(s.Capacity, of)
	s.Quantum, s.ClassPools = below(s.Quantum, of), below(s.ClassPools, of)
	s.Starts, s.Durability = below(s.Starts, of), below(s.Durability, of)
	s.Check = below(s.Check, of)
}

func below[T any](fact func(Params) T, of func(Params) Params) func(Params) T {
	if fact == nil {
		return nil
	}
	return func(p Params) T { return fact(of(p)) }
}

// A layer is what one part of a composition, or its base, takes from the Params of the whole.
type layer struct{ values param.Values }

// split returns the part's own Values, and the Params of what is inside. Without Values they are
// those that it was composed with.
func (l layer) split(p Params) (own param.Values, inner Params) {
	all := p.Values.Parts()
	if len(all) == 0 {
		p.Values = param.Values{}
		return l.values, p
	}
	p.Values = param.Join(all[1:]...)
	return all[0], p
}

func (l layer) inner(p Params) Params {
	_, in := l.split(p)
	return in
}

// around is a composition of one more part.
func around(v PartVariant, inner Spec) (Spec, error) {
	part, l := v.Spec, layer{values: v.Values}
	if err := why(v, inner); err != nil {
		return Spec{}, fmt.Errorf("%s before %s: %w", v, inner.Name, err)
	}
	s := inner
	s.under(l.inner)
	inside := s.Check
	s.Check = func(p Params) error {
		own, _ := l.split(p)
		if part.check != nil {
			if err := part.check(Params{Limit: p.Limit, Queue: p.Queue, Values: own}); err != nil {
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
	s.Parts += max(1, len(part.Keys))
	s.around = append([]string{part.Name}, inner.around...)
	part.alter(&s, inner, l)
	s.New = func(ctx context.Context, p Params, sink Sink) Strategy {
		own, in := l.split(p)
		return part.start(ctx, own, inner, in, sink)
	}
	return s, nil
}

// why says why a part makes no sense around inner, or nil.
func why(v PartVariant, inner Spec) error {
	part := v.Spec
	for _, name := range inner.around {
		if other, _ := partSet.Lookup(name); other.role == part.role && part.role != admission {
			return fmt.Errorf("%s is there already, and one is enough: it changes %s too", name,
				part.Role())
		}
	}
	if part.role == attempts && inner.Retries {
		return fmt.Errorf("%s tries again itself", inner.base)
	}
	if part.role == attempts && inner.ends {
		return fmt.Errorf("%s ends all tasks with the first that fails, and so would a retry",
			inner.base)
	}
	if part.role == routing && inner.ClassPools != nil {
		return fmt.Errorf("%s separates classes already",
			cmp.Or(slices.Concat(inner.around, []string{inner.base})...))
	}
	if part.holds && inner.ClassPools != nil {
		return fmt.Errorf("tasks of one class would wait for those of another: have %s outermost",
			cmp.Or(slices.Concat(inner.around, []string{inner.base})...))
	}
	if part.refuses == nil {
		return nil
	}
	return part.refuses(v.Values, inner)
}

// turnsMissed is the reason to keep no tasks outside a strategy of steps.
func turnsMissed(inner Spec) error {
	if inner.Quantum == nil {
		return nil
	}
	return fmt.Errorf("%s has tasks take turns, and one that is kept outside would miss its turn",
		inner.base)
}

// paced completes a part that bounds how often tasks start, as whole does. It keeps them until
// there is a slot inside, and asks for a token then, so that no more tasks start at once than
// tokens are kept. Where further attempts are made inside, it bounds how often tasks are handed on,
// and not how often attempts start.
func paced(whole Spec, p Part, pacerOf func(param.Values) pacer) Part {
	p.Name, p.Keys, p.check = whole.Name, whole.Keys, whole.Check
	p.role, p.holds = admission, true
	p.refuses = func(_ param.Values, inner Spec) error {
		if inner.Splits {
			return fmt.Errorf("%s starts sub-tasks side by side, which nothing outside it can "+
				"pace", inner.base)
		}
		return turnsMissed(inner)
	}
	p.alter = func(s *Spec, inner Spec, l layer) {
		s.WorkConserving = false
		if !inner.FIFO || inner.Retries {
			return
		}
		inside := s.Starts
		s.Starts = func(p Params) Starts {
			own, _ := l.split(p)
			starts := whole.Starts(Params{Values: own})
			if inside == nil {
				return starts
			}
			if in := inside(p); in.PerSecond < starts.PerSecond {
				starts = in
			}
			starts.Several = true
			return starts
		}
	}
	p.start = func(
		ctx context.Context, own param.Values, inner Spec, in Params, sink Sink,
	) Strategy {
		s := holdOf(inner, in, 0, inner.Sheds)
		s.pace = pacerOf(own)
		if inner.Bound != nil && !inner.Retries {
			s.most = inner.Bound(in)
		}
		return s.start(ctx, inner, in, sink)
	}
	return p
}

// routed completes a part that separates classes as whole does, with an instance inside for each
// class pool. Runs are held to it that a class pool starts its tasks in their order as soon as it
// has a slot, and so must what is inside be.
func routed(whole Spec, p Part, poolsOf func(Params) []ClassPool) Part {
	p.Name, p.Keys, p.check = whole.Name, whole.Keys, whole.Check
	p.role, p.holds = routing, true
	each := func(own param.Values, in Params) (all []ClassPool, inside []Params) {
		all = poolsOf(Params{Limit: in.Limit, Values: own})
		for _, pool := range all {
			in.Limit = pool.Limit
			inside = append(inside, in)
		}
		return all, inside
	}
	sum := func(fact func(Params) int, l layer) func(Params) int {
		if fact == nil {
			return nil
		}
		return func(p Params) (n int) {
			own, in := l.split(p)
			_, inside := each(own, in)
			for _, in := range inside {
				n += fact(in)
			}
			return n
		}
	}
	p.refuses = func(_ param.Values, inner Spec) error {
		if inner.Bound == nil {
			return fmt.Errorf("%s has no bound, and so no slots to share out", inner.Name)
		}
		if !inner.FIFO || !inner.WorkConserving || inner.Splits {
			return fmt.Errorf("each class pool is to start its tasks in their order and as soon as "+
				"there is a slot, which %s does not", inner.Name)
		}
		return turnsMissed(inner)
	}
	p.alter = func(s *Spec, inner Spec, l layer) {
		s.FIFO, s.WorkConserving, s.Starts = false, false, nil
		s.Bound, s.Capacity = sum(inner.Bound, l), sum(inner.Capacity, l)
		s.ClassPools = func(p Params) []ClassPool {
			own, in := l.split(p)
			all, inside := each(own, in)
			for i, in := range inside {
				all[i].Limit = inner.Bound(in)
			}
			return all
		}
	}
	p.start = func(
		ctx context.Context, own param.Values, inner Spec, in Params, sink Sink,
	) Strategy {
		all, inside := each(own, in)
		return (&route{poolOf: indexIn(all)}).start(ctx, inner, inside, sink)
	}
	return p
}
