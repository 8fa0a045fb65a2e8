package kills

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/poolbench/poolbench/internal/cli/clitest"
)

// A resumed attack must continue with the next row of data. Other data must be refused.
func TestKillAttackWithData(t *testing.T) {
	t.Chdir(t.TempDir())
	const n = 800
	users := []string{"ann", "bob", "eve"}
	var mu sync.Mutex
	seen := map[int]int{}
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		var seq int
		var user string
		if _, err := fmt.Sscanf(r.URL.Path, "/%d/%s", &seq, &user); err != nil ||
			user != users[seq%len(users)] {
			t.Errorf("%s: it has another row: %v", r.URL.Path, err)
		}
		mu.Lock()
		defer mu.Unlock()
		seen[seq]++
	}))
	defer server.Close()
	served := func() int {
		mu.Lock()
		defer mu.Unlock()
		return len(seen)
	}
	data := "user\n" + strings.Join(users, "\n") + "\n"
	clitest.Write(t, "users.csv", data)
	args := func(more string) []string {
		return append(strings.Fields(fmt.Sprintf("attack %s/{{seq}}/{{user}} --data users.csv "+
			"--soak --rate 400 --n %d --name shop --quiet --out x%s", server.URL, n, more)),
			"--check", "status == 200")
	}
	cmd := clitest.Process(t, []string{clitest.SoonEnough + "=1"}, args("")...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for served() < n/4 {
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed
	clitest.Write(t, "users.csv", data+"mallory\n")
	if o := clitest.Command(t, args(" --resume")...); o.Code != clitest.Unusable ||
		!strings.Contains(o.Stderr, "was begun with another plan") {
		t.Errorf("with other data: exit code %d\n%s", o.Code, o.Stderr)
	}
	clitest.Write(t, "users.csv", data)
	before, last := served(), slices.Max(slices.Collect(maps.Keys(seen)))
	if o := clitest.Command(t, args(" --resume")...); o.Code != clitest.Fine &&
		o.Code != clitest.Undecided {
		t.Fatalf("resumed: exit code %d\n%s", o.Code, o.Stderr)
	}
	if served() == before || seen[n-1] != 1 {
		t.Errorf("%d requests were served, and %d before; the last one %d times", served(), before,
			seen[n-1])
	}
	for seq, times := range seen { // requests without a recorded answer at the kill are sent again
		if times > 2 || seq > last && times > 1 {
			t.Errorf("request %d was sent %d times", seq, times)
		}
	}
}
