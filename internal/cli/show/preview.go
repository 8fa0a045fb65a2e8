package show

import (
	"fmt"
	"io"
	"strings"

	"github.com/poolbench/poolbench/bench/attack"
)

const maxPreviews = 3

// Previews prints the first requests of an attack as they will be sent, or the steps of its first
// session.
func Previews(w io.Writer, k attack.Attack) error {
	n := maxPreviews
	if k.Session != nil {
		n = len(k.Requests)
	}
	all, err := k.Previews(n)
	if err != nil {
		return err
	}
	for i, p := range all {
		name := fmt.Sprintf("request %d", i)
		if k.Session != nil {
			name = "step " + k.Session.Steps[i].Name
		}
		fmt.Fprintf(w, "\n%s:\n  %s %s\n", name, p.Method, p.URL)
		for _, line := range p.Header {
			fmt.Fprintf(w, "  %s\n", line)
		}
		if p.Body != "" {
			body := strings.TrimRight(strings.ReplaceAll(p.Body, "\r\n", "\n"), "\n")
			fmt.Fprintf(w, "\n  %s\n", strings.ReplaceAll(body, "\n", "\n  "))
		}
	}
	return nil
}
