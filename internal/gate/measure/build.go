package measure

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"
)

type binaries struct {
	tool     goTool
	packages []pkg
	dir      string
	args     []string
}

// All paths have the same length, because they are part of the environment of a process.
func (b *binaries) path(p, layout int) string {
	return filepath.Join(b.dir, fmt.Sprintf("%04d-%02d.test", p, layout))
}

func (b *binaries) build(ctx context.Context, p, layout, seed int) error {
	flags := "-ldflags=-s -w"
	if seed != 0 {
		flags += fmt.Sprintf(" -randlayout=%d", seed)
	}
	path := b.packages[p].path
	if _, err := b.tool.run(ctx, "test", "-c", "-vet=off", flags, "-o", b.path(p, layout),
		path); err != nil {
		if said, ok := errors.AsType[*commandError](err); ok && said.lines != "" {
			return fmt.Errorf("the %v does not build: %s\n    %w", b.tool.side, path, err)
		}
		return err
	}
	if _, err := os.Stat(b.path(p, layout)); err != nil {
		return fmt.Errorf("%s of the %v: go test -c has built no test binary: %w", path, b.tool.side, err)
	}
	return nil
}

const unknownFlag = "flag provided but not defined: -randlayout"

type job struct {
	side      side
	p, layout int
}

// buildFirst returns one possible layout if the linker cannot change the order of functions.
func buildFirst(
	ctx context.Context, sides [2]*binaries, s schedule, step func(done, all int),
) (layouts int, err error) {
	var jobs []job
	for _, side := range []side{head, base} { // report a head that does not build first
		if err := os.MkdirAll(sides[side].dir, 0o700); err != nil {
			return 0, err
		}
		for p := range sides[side].packages {
			jobs = append(jobs, job{side, p, 0})
		}
	}
	all, done := len(jobs), 0
	if s.layouts > 1 {
		switch err := s.build(ctx, sides, jobs[0]); {
		case err == nil:
			jobs, done = jobs[1:], 1
			step(done, all)
		case strings.Contains(err.Error(), unknownFlag):
			s.layouts = 1
		default:
			return 0, err
		}
	}
	return s.layouts, s.buildSome(ctx, sides, jobs, func(n int) { step(done+n, all) })
}

func buildOthers(
	ctx context.Context, sides [2]*binaries, s schedule, step func(done, all int),
) error {
	var jobs []job
	for _, side := range []side{base, head} {
		for p := range sides[side].packages {
			for layout := 1; layout < s.layouts; layout++ {
				jobs = append(jobs, job{side, p, layout})
			}
		}
	}
	return s.buildSome(ctx, sides, jobs, func(n int) { step(n, len(jobs)) })
}

func buildFresh(
	ctx context.Context, sides [2]*binaries, s schedule, layouts map[string][]int,
	step func(done, all int),
) error {
	var jobs []job
	for _, side := range []side{base, head} {
		for p, found := range sides[side].packages {
			for _, layout := range slices.Compact(
				slices.Sorted(slices.Values(layouts[found.path]))) {
				if _, err := os.Stat(sides[side].path(p, layout)); err != nil {
					jobs = append(jobs, job{side, p, layout})
				}
			}
		}
	}
	return s.buildSome(ctx, sides, jobs, func(n int) { step(n, len(jobs)) })
}

func (s schedule) build(ctx context.Context, sides [2]*binaries, j job) error {
	seed := 0
	if s.layouts > 1 {
		seed = s.layoutSeed(j.side, j.layout)
	}
	return sides[j.side].build(ctx, j.p, j.layout, seed)
}

func (s schedule) buildSome(
	ctx context.Context, sides [2]*binaries, jobs []job, step func(done int),
) error {
	all, ctx := errgroup.WithContext(ctx)
	all.SetLimit(runtime.GOMAXPROCS(0))
	var telling sync.Mutex
	done := 0
	for _, j := range jobs {
		all.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			err := s.build(ctx, sides, j)
			telling.Lock()
			defer telling.Unlock()
			done++
			step(done)
			return err
		})
	}
	return all.Wait()
}
