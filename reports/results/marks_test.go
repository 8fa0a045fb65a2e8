package results

import "testing"

func TestCommandOfSections(t *testing.T) {
	for _, c := range []struct {
		lines         []string
		line, program string
	}{
		{nil, "", "poolbench"},
		{[]string{"# poolbench results 1"}, "", "poolbench"},
		{[]string{"# poolbench results 1", "# command poolbench run --load 0.5"},
			"poolbench run --load 0.5", "poolbench"},
		{[]string{"# poolbench results 1", "# command go run . run --strategy mine"},
			"go run . run --strategy mine", "go run ."},
		// a second section has added repetitions
		{[]string{"# poolbench results 1", "# command go run ./cmd/load run", "# complete 1 runs",
			"# poolbench results 1", "# command go run ./cmd/load run"}, "", "go run ./cmd/load"},
	} {
		var m marks
		for i, line := range c.lines {
			if _, err := m.parseLine(i, line); err != nil {
				t.Fatal(err)
			}
		}
		if line, program := m.command(); line != c.line || program != c.program {
			t.Errorf("%q: %q of %q", c.lines, line, program)
		}
	}
}
