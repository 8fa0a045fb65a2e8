package targets_test

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/targets"
)

// The test runs in a child process, because a registration cannot be undone.
func TestRegister(t *testing.T) {
	const child = "POOLBENCH_TEST_REGISTER"
	if os.Getenv(child) == "" {
		cmd := exec.Command(os.Args[0], "-test.run=^TestRegister$", "-test.v")
		cmd.Env = append(os.Environ(), child+"=1")
		if out, err := cmd.CombinedOutput(); err != nil ||
			!strings.Contains(string(out), "--- PASS: TestRegister") {
			t.Fatalf("%v\n%s", err, out)
		}
		return
	}
	mine := targets.Func(func(ctx context.Context, seq uint64,
		work func(context.Context, uint64) error,
	) error {
		return work(ctx, seq+1)
	})
	targets.Register(mine.Spec("a_mine"))
	if all := targets.All(); all[len(all)-1].Name != "a_mine" {
		t.Errorf("the last is %s", all[len(all)-1].Name)
	}
	spec := targets.MustParse("a_mine").Spec
	target, err := spec.New(1, targets.MustParse("a_mine").Values)
	if err != nil {
		t.Fatal(err)
	}
	var got uint64
	if err := target.Call(t.Context(), 7, func(_ context.Context, seq uint64) error {
		got = seq
		return nil
	}); err != nil || got != 8 {
		t.Errorf("the work is done as %d, %v", got, err)
	}
	for what, s := range map[string]targets.Spec{
		"a name twice": mine.Spec("a_mine"), "one of the package's": mine.Spec("flaky"),
		"a name with a dash": mine.Spec("a-mine"), "no New": {Name: "no_new"},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s is taken", what)
				}
			}()
			targets.Register(s)
		}()
	}
}
