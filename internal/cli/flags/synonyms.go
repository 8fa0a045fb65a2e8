package flags

import "github.com/spf13/cobra"

// synonyms maps flags of other tools (wrk, hey, k6, vegeta, ab, curl) to ours. The first one that
// the command has is suggested.
var synonyms = map[string][]string{
	"rps": {"rate"}, "qps": {"rate"}, "tps": {"rate"}, "q": {"rate"}, "R": {"rate"},
	"load":        {"rate"},
	"concurrency": {"clients", "limit"}, "vus": {"clients", "limit"}, "u": {"clients", "limit"},
	"users": {"clients", "limit"}, "threads": {"clients", "limit"}, "t": {"clients", "limit"},
	"parallel": {"clients", "limit"}, "workers": {"clients", "limit"}, "c": {"clients", "limit"},
	"connections": {"clients", "limit"}, "max-workers": {"clients", "limit"},
	"requests": {"n", "tasks"}, "tasks": {"n"}, "iterations": {"n", "tasks"},
	"i": {"n", "tasks"}, "num": {"n", "tasks"}, "number": {"n", "tasks"}, "n": {"tasks"},
	"time": {"duration"}, "dur": {"duration"}, "z": {"duration"}, "for": {"duration"},
	"ramp": {"stages"}, "ramp-up": {"stages"}, "stage": {"stages"}, "s": {"stages"},
	"threshold": {"objective"}, "thresholds": {"objective"}, "slo": {"objective"},
	"output": {"out"}, "request": {"method"}, "X": {"method"}, "headers": {"header"},
}

// synonym returns our flag for a flag of another tool, or "".
func synonym(cmd *cobra.Command, name string) string {
	for _, ours := range synonyms[name] {
		if f := cmd.Flags().Lookup(ours); f != nil && !f.Hidden {
			return "--" + ours
		}
	}
	return ""
}
