package revisions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
)

// binaries are the test binaries of one side: each package as often as there are layouts.
type binaries struct {
	tool     goTool
	packages []pkg
	dir      string
}

// path of a test binary. All have names as long, as they are part of the environment that a process starts with.
func (b *binaries) path(p, layout int) string {
	return filepath.Join(b.dir, fmt.Sprintf("%04d-%02d.test", p, layout))
}

// build makes the test binary of a package; a layout's seed of 0 leaves the order of the functions to the linker.
func (b *binaries) build(ctx context.Context, p, layout, seed int) error {
	args := []string{"test", "-c", "-vet=off", "-o", b.path(p, layout)}
	if seed != 0 {
		args = append(args, fmt.Sprintf("-ldflags=-randlayout=%d", seed))
	}
	path := b.packages[p].path
	if _, err := b.tool.run(ctx, append(args, path)...); err != nil {
		var said *goError
		if errors.As(err, &said) {
			return fmt.Errorf("the %v does not build: %s\n    %w", b.tool.side, path, err)
		}
		return err
	}
	if _, err := os.Stat(b.path(p, layout)); err != nil {
		return fmt.Errorf("%s of the %v: go test -c has built nothing: %w", path, b.tool.side, err)
	}
	return nil
}

// unknownFlag is how the linker refuses a flag that it does not have, as those before Go 1.23 do this one.
const unknownFlag = "flag provided but not defined: -randlayout"

// buildAll builds both sides in as many layouts as the schedule has, and returns how many there are: 1 where the linker knows no order of
// functions but its own. step hears of each binary, out of how many, one after the other.
func buildAll(ctx context.Context, sides [2]*binaries, s schedule, step func(done, all int)) (layouts int, err error) {
	type job struct {
		side      side
		p, layout int
	}
	var first, more []job
	for _, side := range []side{base, head} {
		if err := os.MkdirAll(sides[side].dir, 0o700); err != nil {
			return 0, err
		}
		for p := range sides[side].packages {
			first = append(first, job{side, p, 0})
			for layout := 1; layout < s.layouts; layout++ {
				more = append(more, job{side, p, layout})
			}
		}
	}
	random := s.layouts > 1
	build := func(ctx context.Context, j job) error {
		seed := 0
		if random {
			seed = s.layoutSeed(j.side, j.layout)
		}
		return sides[j.side].build(ctx, j.p, j.layout, seed)
	}
	if random {
		err := build(ctx, first[0])
		if err != nil && strings.Contains(err.Error(), unknownFlag) {
			random, more = false, nil
		} else if err != nil {
			return 0, err
		}
	}
	var telling sync.Mutex
	done, all := 0, len(first)+len(more)
	counted := func(ctx context.Context, j job) error {
		err := build(ctx, j)
		telling.Lock()
		defer telling.Unlock()
		done++
		step(done, all)
		return err
	}
	// What is compiled for the first layout is in the cache for the others.
	if err := concurrently(ctx, first, counted); err != nil {
		return 0, err
	}
	if err := concurrently(ctx, more, counted); err != nil {
		return 0, err
	}
	if !random {
		return 1, nil
	}
	return s.layouts, nil
}

// concurrently does as many at once as there are processors, and none after the first error, which it returns.
func concurrently[T any](ctx context.Context, all []T, do func(context.Context, T) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var at atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(all)) {
		workers.Go(func() {
			for ctx.Err() == nil {
				i := int(at.Add(1)) - 1
				if i >= len(all) {
					return
				}
				if err := do(ctx, all[i]); err != nil {
					cancel(err)
				}
			}
		})
	}
	workers.Wait()
	return context.Cause(ctx)
}
