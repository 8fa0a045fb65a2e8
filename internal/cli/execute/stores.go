package execute

import (
	"context"
	"errors"
	"strings"

	"github.com/poolbench/poolbench/strategies"
)

// CleanStores removes the remains of killed processes from the servers that the strategies need.
func (h *Host) CleanStores(ctx context.Context, specs ...strategies.Spec) {
	cleaned := map[string]bool{} // by server, because strategies share servers
	for _, s := range specs {
		if s.Clean == nil || cleaned[s.Needs] || s.Ready != nil && s.Ready() != nil {
			continue
		}
		cleaned[s.Needs] = true
		lines, err := s.Clean(ctx)
		if len(lines) > 0 {
			h.Complain(errors.New(strings.Join(lines, "\n")))
		}
		h.Complain(err)
	}
}
