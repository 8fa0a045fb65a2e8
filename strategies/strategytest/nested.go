package strategytest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/strategies"
)

// A Tree is work whose tasks submit to the instance that runs them. Each task above the last of
// Levels submits Width children.
type Tree struct {
	Roots, Width, Levels int
	// Waits makes a task keep its slot until its children are done, not only accepted.
	Waits bool
}

// Inner returns the number of tasks with children.
func (t Tree) Inner() int {
	n, level := 0, t.Roots
	for range t.Levels {
		n += level
		level *= t.Width
	}
	return n
}

// Enough returns the smallest limit at which the tree completes in any order. The inner tasks can
// hold all other slots while they wait.
func (t Tree) Enough() int { return t.Inner() + 1 }

// A Nesting reports the limits at which a strategy completes a tree.
type Nesting struct {
	// Limit is the smallest limit from which all tried limits completed. It is 0 if Most, the
	// largest tried limit, did not.
	Limit, Most int
	// Refuses means that below Limit tasks were refused, and none waited forever.
	Refuses bool
	// Hang contains the goroutine stacks at limit Limit-1, or at Most.
	Hang string
}

func (n Nesting) String() string {
	if n.Limit == 0 {
		return "never"
	}
	return fmt.Sprint(n.Limit)
}

// Equal durations, level by level, are the worst case for a FIFO queue. Random durations use
// several seeds.
const (
	nestedSeeds = 3
	nestedMost  = 4 // the largest tried limit is nestedMost·Enough
)

// SmallestLimit finds the smallest limit from which spec completes the tree under the virtual
// clock. spec has default parameters and no queue. SmallestLimit must not be called inside a
// synctest bubble.
func SmallestLimit(spec strategies.Spec, tree Tree) (Nesting, error) {
	n := Nesting{Most: nestedMost * tree.Enough()}
	for limit := n.Most; limit > 0; limit-- {
		p, err := defaults(spec, limit)
		if err != nil {
			if limit == n.Most {
				return n, err
			}
			break // spec does not accept smaller limits
		}
		for seed := range uint64(nestedSeeds + 1) {
			err := inPatience(func(s *scene) error { return tree.run(newRig(s, spec, p), seed) })
			if err == nil {
				continue
			}
			var stopped *nestedError
			if !errors.As(err, &stopped) {
				return n, fmt.Errorf("limit %d: %w", limit, err)
			}
			n.Refuses, n.Hang = stopped.refused > 0, stopped.where
			return n, nil
		}
		n.Limit = limit
	}
	return n, nil
}

func defaults(spec strategies.Spec, limit int) (strategies.Params, error) {
	values, err := param.Resolve(spec.Keys, nil)
	if err != nil {
		return strategies.Params{}, fmt.Errorf("its own parameters have no defaults: %w", err)
	}
	p := strategies.Params{Limit: limit, Values: values}
	return p, spec.Validate(p)
}

func inPatience(check func(*scene) error) error {
	patience, err := machine.Patience()
	if err != nil {
		return err
	}
	return inBubble(patience, check)
}

type nestedError struct {
	open, refused int
	where         string
}

func (e *nestedError) Error() string {
	if e.refused > 0 {
		return fmt.Sprintf("%d tasks of the tree were refused", e.refused)
	}
	return fmt.Sprintf("%d tasks of the tree wait for ever%s", e.open, e.where)
}

const nestedTime = time.Minute

// Seed 0 means equal durations.
func (t Tree) run(r *rig, seed uint64) error {
	g := &treeRun{Tree: t, rig: r, random: rand.New(rand.NewPCG(seed, 0)), even: seed == 0}
	roots := g.tasks(t.Roots, 0)
	r.step("the tree grows")
	r.spawn(func() {
		for _, j := range roots {
			g.submit(context.Background(), j)
		}
	})
	r.rest(nestedTime)
	g.Lock()
	defer g.Unlock()
	if g.open == 0 && g.refused == 0 {
		return nil
	}
	return &nestedError{g.open, g.refused, r.mark.Where()}
}

type treeRun struct {
	Tree
	rig *rig
	sync.Mutex
	random        *rand.Rand
	even          bool
	tasked        time.Duration // one nanosecond per task made so far
	open, refused int
}

// Each task takes a nanosecond longer than its predecessor. Otherwise tasks would end at the same
// instant in an arbitrary order, which would decide whether a shedding strategy has room.
func (g *treeRun) tasks(n, level int) []*job {
	jobs := g.rig.jobs(n, nil)
	g.Lock()
	defer g.Unlock()
	g.open += n
	for _, j := range jobs {
		works := time.Millisecond + g.tasked
		g.tasked++
		if !g.even {
			works = time.Duration(g.random.Int64N(int64(10 * time.Millisecond)))
		}
		j.do = func(ctx context.Context) strategies.Result {
			time.Sleep(works)
			if level < g.Levels {
				g.submitChildren(ctx, level+1)
			}
			g.Lock()
			g.open--
			g.Unlock()
			return strategies.Result{}
		}
	}
	return jobs
}

func (g *treeRun) submitChildren(ctx context.Context, level int) {
	children := g.tasks(g.Width, level)
	for _, j := range children {
		if !g.submit(ctx, j) {
			close(j.done)
		}
	}
	if !g.Waits {
		return
	}
	for _, j := range children {
		select {
		case <-j.done:
		case <-g.rig.released:
		}
	}
}

func (g *treeRun) submit(ctx context.Context, j *job) bool {
	err := g.rig.submit(ctx, j)
	if err != nil && ctx.Err() == nil {
		g.Lock()
		g.refused++
		g.open--
		g.Unlock()
	}
	return err == nil
}

var nestedTrees = []Tree{{1, 3, 2, true}, {2, 2, 2, false}}

func nests(spec strategies.Spec) bool {
	if spec.Shrinks {
		return false
	}
	_, ok := roomFor(spec, nestedTrees[0].Enough())
	return ok
}

// checkNested runs each tree at a limit that suffices in any order. It skips strategies that may
// have fewer slots. It ignores refused tasks.
func checkNested(spec strategies.Spec) error {
	if spec.Shrinks {
		return nil
	}
	for _, tree := range nestedTrees {
		p, ok := roomFor(spec, tree.Enough())
		if !ok {
			continue
		}
		err := inPatience(func(s *scene) error {
			err := tree.run(newRig(s, spec, p), 0)
			if stopped, is := errors.AsType[*nestedError](err); is && stopped.open == 0 {
				return nil
			}
			return err
		})
		if err != nil {
			return fmt.Errorf("limit %d, tasks that submit %d children each, %d levels: %w", p.Limit,
				tree.Width, tree.Levels, err)
		}
	}
	return nil
}

// All slots of the returned parameters must be usable by tasks without a class.
func roomFor(spec strategies.Spec, slots int) (p strategies.Params, ok bool) {
	for limit := slots; limit <= nestedMost*slots; limit++ {
		p, err := defaults(spec, limit)
		if err == nil && declared(spec.Bound, p) >= slots {
			return p, true
		}
	}
	return p, false
}
