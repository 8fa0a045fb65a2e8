package measure

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
)

// anchor lets a checkout's go.mod find what it replaces modules with: directories outside of the
// repository are beside the original and not beside the checkout, so their paths are made absolute.
// Those inside are the revision's own, and stay.
func (g goTool) anchor(ctx context.Context, checkout, original string) error {
	text, err := g.run(ctx, "mod", "edit", "-json")
	if err != nil {
		return err
	}
	var mod struct {
		Replace []struct {
			Old, New struct{ Path, Version string }
		}
	}
	if err := json.Unmarshal([]byte(text), &mod); err != nil {
		return fmt.Errorf("go mod edit -json: %w", err)
	}
	file, err := g.run(ctx, "env", "GOMOD")
	if err != nil {
		return err
	}
	if checkout, err = filepath.EvalSymlinks(checkout); err != nil {
		return err
	}
	dir, err := filepath.EvalSymlinks(filepath.Dir(strings.TrimSpace(file)))
	if err != nil {
		return err
	}
	module, err := filepath.Rel(checkout, dir)
	if err != nil {
		return err
	}
	for _, r := range mod.Replace {
		path := filepath.FromSlash(r.New.Path)
		if r.New.Version != "" || filepath.IsAbs(path) ||
			filepath.IsLocal(filepath.Join(module, path)) {
			continue
		}
		old := r.Old.Path
		if r.Old.Version != "" {
			old += "@" + r.Old.Version
		}
		if _, err := g.run(ctx, "mod", "edit", "-replace",
			old+"="+filepath.Join(original, module, path)); err != nil {
			return err
		}
	}
	return nil
}
