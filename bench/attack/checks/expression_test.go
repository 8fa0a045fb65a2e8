package checks

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// A long text must match as in package regexp, and matching must end with the attack.
func TestExpression(t *testing.T) {
	long := []byte(strings.Repeat("é xx1 \xff", 200_000) + `{"id": 42}`)
	for _, pattern := range []string{`"id":\s*(\d+)`, `(x{1,9}){3,30}y`, `(?s)^é.*\}$`, `id|(none)`,
		`\b1\b`, "none" + strings.Repeat("x?", 50)} {
		e, err := CompileExpression(pattern)
		if err != nil {
			t.Fatal(err)
		}
		e.states = max(e.states, atOnce/len(long)+1)
		want := regexp.MustCompile(pattern).FindSubmatchIndex(long)
		if got := e.Find(new(Answer), long); !slices.Equal(got, want) {
			t.Errorf("%s: found %v, want %v", pattern, got, want)
		}
	}
	ended := make(chan struct{})
	close(ended)
	c, err := Parse(`body ~ "(x{1,30}){1,30}y"`) // takes a minute
	if err != nil {
		t.Fatal(err)
	}
	a := &Answer{Ends: ended}
	a.Reset(MaxBody)
	a.Ends = ended
	if _, err := a.Write(bytes.Repeat([]byte("x"), MaxBody)); err != nil {
		t.Fatal(err)
	}
	if List([]Check{c}).Failed(a); !a.Unfinished {
		t.Error("it was finished after the end of the attack")
	}
	a.Reset(MaxBody)
	if a.Unfinished || a.Ends != nil {
		t.Error("Reset keeps what an earlier answer was")
	}
	if _, err := Parse("json ." + strings.Repeat("[a]", maxPath) + " exists"); err == nil {
		t.Error("a long path is taken")
	}
}
