package program

import "testing"

func TestInvocation(t *testing.T) {
	for _, c := range []struct{ main, path, want string }{
		{"github.com/poolbench/poolbench", "github.com/poolbench/poolbench/cmd/poolbench", "poolbench"},
		{"", "command-line-arguments", "poolbench"},
		{"mypool", "mypool", "go run ."},
		{"mypool", "command-line-arguments", "go run ."},
		{"example.com/mypool", "example.com/mypool/cmd/load", "go run ./cmd/load"},
	} {
		if got := invocation(c.main, c.path); got != c.want {
			t.Errorf("%s of %s: %q, want %q", c.path, c.main, got, c.want)
		}
	}
}
