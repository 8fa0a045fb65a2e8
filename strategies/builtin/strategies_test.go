package builtin_test

import (
	"context"
	"os"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/poolbench/poolbench/strategies"
	"github.com/poolbench/poolbench/strategies/strategytest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestContract(t *testing.T) {
	for i, spec := range strategies.All() {
		t.Run(spec.Name, func(t *testing.T) {
			if !testing.Short() {
				strategytest.Run(t, spec)
				return
			}
			for j, c := range strategytest.Clauses() {
				if (i+j)%4 != 0 {
					continue
				}
				if err := c.Check(spec); err != nil {
					t.Errorf("%s: %v", c.Name, err)
				}
			}
		})
	}
}

func TestSpecs(t *testing.T) {
	if len(strategies.All()) == 0 {
		t.Fatal("no strategies")
	}
	for _, spec := range strategies.All() {
		source, err := os.ReadFile(spec.Name + ".go")
		if err != nil {
			t.Errorf("%s: %v", spec.Name, err)
		}
		if n := strings.Count(string(source), "= strategies.RegisterBuiltin("); n != 1 {
			t.Errorf("%s.go registers %d strategies", spec.Name, n)
		}
		for field, text := range map[string]string{"Summary": spec.Summary, "UseIf": spec.UseIf,
			"Source": spec.Source, "OnPanic": spec.OnPanic} {
			if text == "" || strings.ContainsAny(text, "\n|") || strings.HasSuffix(text, ".") {
				t.Errorf("%s: %s = %q, want one line for a table", spec.Name, field, text)
			}
		}
		found, err := strategies.Lookup(spec.Name)
		if err != nil || found.Name != spec.Name {
			t.Errorf("Lookup(%q) = %q, %v", spec.Name, found.Name, err)
		}
		if got := (strategies.Variant{Spec: spec}).String(); got != spec.Name {
			t.Errorf("a variant of %s without values is %q", spec.Name, got)
		}
	}
}

func TestLookupUnknown(t *testing.T) {
	_, err := strategies.Lookup("no_such")
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"no_such", "semaphore", "worker_pool"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not mention %s", err, want)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, test := range []struct {
		spec string
		p    strategies.Params
		want string
	}{
		{"worker_pool", strategies.Params{Limit: 1}, ""},
		{"worker_pool", strategies.Params{Limit: 8, Queue: 100}, ""},
		{"semaphore", strategies.Params{Limit: strategies.MaxLimit}, ""},
		{"semaphore", strategies.Params{}, "strategy semaphore: limit 0 is below 1"},
		{"semaphore", strategies.Params{Limit: -8, Queue: -1},
			"strategy semaphore: limit -8 is below 1; queue -1 is below 0"},
		{"semaphore", strategies.Params{Limit: 8, Queue: 100},
			"strategy semaphore: queue 100 given, but it has no queue"},
		{"worker_pool", strategies.Params{Limit: 1 << 30, Queue: 1 << 30},
			"strategy worker_pool: limit 1073741824 is above 1048576; queue 1073741824 is above " +
				"16777216"},
	} {
		spec, err := strategies.Lookup(test.spec)
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if err := spec.Validate(test.p); err != nil {
			got = err.Error()
		}
		if got != test.want {
			t.Errorf("%s, %+v: %q, want %q", test.spec, test.p, got, test.want)
		}
		if test.want != "" {
			if v := newPanics(spec, test.p); v == nil || v.(error).Error() != test.want {
				t.Errorf("%s, %+v: New panicked with %v, want %q", test.spec, test.p, v, test.want)
			}
		}
	}
}

func newPanics(spec strategies.Spec, p strategies.Params) (v any) {
	defer func() { v = recover() }()
	spec.New(context.Background(), p,
		strategies.SinkFunc(func(*strategies.Task, strategies.Result) {}))
	return nil
}

func TestManyCallersGiveUp(t *testing.T) {
	if !*sweep {
		t.Skip("thorough: runs with -sweep")
	}
	for _, spec := range strategies.All() {
		t.Run(spec.Name, func(t *testing.T) {
			t.Parallel()
			if err := strategytest.GiveUps(spec, 100_000); err != nil {
				t.Error(err)
			}
		})
	}
}
