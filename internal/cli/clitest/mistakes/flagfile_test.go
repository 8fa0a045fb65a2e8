package mistakes

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

func TestFlagFile(t *testing.T) {
	for _, c := range []struct{ file, with, flags string }{
		{"- url: http://h/x\n  rate: [30, 70]\n  strategy: [semaphore, \"token_bucket:rate=9,burst=2\"]\n" +
			"  header: ['A: b, c', 'D: e']\n  n: 5\n  objective: p99-response<50ms\n  insecure: true\n",
			"attack --file f.yaml --dry-run",
			"attack http://h/x --rate 30,70 --strategy semaphore --strategy token_bucket:rate=9,burst=2 " +
				"--header A:b --n 5 --objective p99-response<50ms --insecure --dry-run"},
		{"- {url: http://h/x, rate: 30, duration: 3s, clients: 2}\n",
			"attack http://other/ --rate 50 --file f.yaml --clients 3 --dry-run",
			"attack http://other/ --rate 50 --duration 3s --clients 3 --dry-run"},
		{"- max-rate: 77\n  duration: 2s\n  objective: [p99-response<50ms, failed<1%]\n",
			"capacity http://h/ --file f.yaml --dry-run",
			"capacity http://h/ --max-rate 77 --duration 2s --objective p99-response<50ms,failed<1% --dry-run"},
		{"- strategy: [semaphore, worker_pool]\n  limit: [3, 5]\n  clock: virtual\n  n: 900\n" +
			"  objective: mean-wait<5ms\n  load-range: 0.2,0.9\n  count: 7\n",
			"capacity --file f.yaml --duration 9s --count 8 --dry-run",
			"capacity --strategy semaphore,worker_pool --limit 3,5 --clock virtual --duration 9s " +
				"--objective mean-wait<5ms --load-range 0.2,0.9 --count 8 --dry-run"},
	} {
		t.Chdir(t.TempDir())
		clitest.Write(t, "f.yaml", c.file)
		got := clitest.Command(t, strings.Fields(c.with)...)
		want := clitest.Command(t, strings.Fields(c.flags)...)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(want)); diff != "" {
			t.Errorf("%s\n%s", c.with, diff)
		}
	}
}

func TestFlagFileErrors(t *testing.T) {
	for _, c := range []struct{ file, with, want string }{
		{"- rate: 30\n", "attack --dry-run", "attack: URL is missing"},
		{"- url: [http://a/, http://b/]\n", "attack --dry-run", "f.yaml:1:9: url: want one"},
		{"- url: http://h/\n  rate: quick\n", "attack --dry-run", "f.yaml:2:9: rate: want a number"},
		{"- url: http://h/\n  rates: 5\n", "attack --dry-run", `f.yaml:2:3: unknown key "rates" (did you mean rate?)`},
		{"- url: http://h/\n- url: http://i/\n", "attack --dry-run", "f.yaml:2:3: a second element"},
		{"- header: ['']\n", "attack http://h/", "f.yaml:1:12: header: the value is empty"},
		{"- {limit: 0}\n", "capacity --objective p99-response<1s", "f.yaml:1:11: limit: want a " +
			"number above 0"},
		{"- {load: 0.5}\n", "capacity --objective p99-response<1s", "f.yaml:1:10: load: the " +
			"search is for this value"},
		{"- {run-limit: 1ns}\n", "capacity --objective p99-response<1s", "f.yaml:1:15: run-limit: want "},
		{"- {file: f.yaml}\n", "capacity", `f.yaml:1:4: unknown key "file"`},
		{"- {stages: load=1 for 1s}\n", "capacity", `f.yaml:1:4: unknown key "stages"`},
	} {
		t.Chdir(t.TempDir())
		clitest.Write(t, "f.yaml", c.file)
		o := clitest.Command(t, append(strings.Fields(c.with), "--file", "f.yaml")...)
		if o.Code != clitest.Unusable || o.Stdout != "" || strings.Count(o.Stderr, "\n") != 1 ||
			!strings.HasPrefix(o.Stderr, "poolbench: "+c.want) {
			t.Errorf("%s: exit code %d, stdout %q, stderr %q, want %q", c.file, o.Code, o.Stdout,
				o.Stderr, c.want)
		}
	}
}
