package clitest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench/arrivals"
)

func QuickSearch(more ...string) []string {
	return append([]string{"capacity", "--quiet", "--clock", "virtual", "--strategy", "semaphore",
		"--n", "500", "--resolution", "10%", "--out", "x"}, more...)
}

// ShellWords splits a line like a shell, if quotes contain only single spaces, and expands file
// patterns.
func ShellWords(line string) (words []string) {
	fields := strings.Fields(line)
	for i := 0; i < len(fields); i++ {
		w := fields[i]
		for strings.Count(w, "'")%2 == 1 && i+1 < len(fields) {
			i++
			w += " " + fields[i]
		}
		if files, err := filepath.Glob(w); err == nil && len(files) > 0 {
			words = append(words, files...)
		} else {
			words = append(words, strings.Trim(w, "'"))
		}
	}
	return words
}

// PlayedTasks returns lines with arrival times of a process at a rate, and durations.
func PlayedTasks(t *testing.T, process string, rate float64, n int) string {
	t.Helper()
	v := arrivals.MustParse(process)
	next, err := v.Spec.Open(rate, 1, v.Values)
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "%d,%dms\n", 1_777_626_000_000_000_000+int64(next()), 50+i%2*100)
	}
	return b.String()
}

func Quick(more ...string) []string {
	return append([]string{"run", "--quiet", "--clock", "virtual", "--strategy", "semaphore",
		"--n", "500"}, more...)
}
