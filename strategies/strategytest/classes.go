package strategytest

import (
	"fmt"
	"slices"
	"time"

	"github.com/poolbench/poolbench/strategies"
)

type pool struct {
	class strategies.Class
	slots int // tasks that run at once in an otherwise empty instance
	room  int // tasks accepted before one is done
}

// fillPool submits tasks of one class until one is not accepted at once.
func (r *rig) fillPool(class strategies.Class, n int, do act) (in []*job, last *call) {
	jobs := r.jobs(n, do)
	for _, j := range jobs {
		j.Class = class
	}
	return r.fillWith(jobs)
}

func (r *rig) pools() (all []pool) {
	for _, class := range []strategies.Class{strategies.AnyClass, strategies.Short, strategies.Long,
		strategies.CPU, strategies.IO} {
		fresh := newRig(r.scene, r.spec, r.p)
		in, _ := fresh.fillPool(class, min(r.capacity(), many), fresh.held(nil))
		fresh.rest(warmUp)
		all = append(all, pool{class, int(fresh.running.Load()), len(in)})
		fresh.endNew()
	}
	return all
}

// Tasks of another class must take as long as in an empty instance. Without Spec.ClassPools all
// classes must have the same slots and room.
func poolsAreIndependent(r *rig) error {
	found := r.pools()
	anyClass := found[0]
	var own []pool // classes with a pool of their own
	for _, l := range found[1:] {
		if l.slots != anyClass.slots || l.room != anyClass.room {
			own = append(own, l)
		}
	}
	switch {
	case r.spec.ClassPools == nil && len(own) > 0:
		return fmt.Errorf("declared not to separate classes, but runs %d tasks of class %d at "+
			"once and accepts %d; without a class, %d and %d",
			own[0].slots, own[0].class, own[0].room, anyClass.slots, anyClass.room)
	case r.spec.ClassPools != nil && len(own) < 2:
		return fmt.Errorf(
			"declared to separate classes, but only %d of %d have a pool of their own",
			len(own), len(found)-1)
	}
	if r.spec.ClassPools != nil {
		for _, declared := range r.spec.ClassPools(r.p) {
			at := slices.IndexFunc(own, func(l pool) bool { return l.class == declared.Class })
			if at < 0 || own[at].slots != declared.Limit {
				return fmt.Errorf("declared to have a pool of %d for class %d; found %v",
					declared.Limit, declared.Class, own)
			}
		}
	}
	for _, full := range own {
		for _, l := range own {
			if full.class == l.class {
				continue
			}
			if err := r.checkIndependence(full, l); err != nil {
				return fmt.Errorf("while a pool is full with tasks of class %d: %w",
					full.class, err)
			}
		}
	}
	return nil
}

func (r *rig) checkIndependence(full, l pool) error {
	fresh := newRig(r.scene, r.spec, r.p)
	defer fresh.endNew()
	fresh.fillPool(full.class, many, fresh.held(nil))
	begin := fresh.clock()
	in, last := fresh.fillPool(l.class, l.room, lasts(time.Millisecond))
	if last != nil {
		return fmt.Errorf("%d tasks of class %d are accepted, but %d without other classes: %s",
			len(in), l.class, l.room, last)
	}
	fresh.rest(warmUp)
	var took time.Duration
	for _, j := range in {
		if !j.isDone() {
			return fmt.Errorf("of %d tasks of 1ms of class %d, number %d is not done after %v",
				len(in), l.class, j.name+1, warmUp)
		}
		took = max(took, j.end()-begin)
	}
	if want := time.Duration((l.room+l.slots-1)/l.slots) * time.Millisecond; took != want {
		return fmt.Errorf("%d tasks of 1ms of class %d took %v, but %v without other classes",
			len(in), l.class, took, want)
	}
	return nil
}
