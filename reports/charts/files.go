package charts

import (
	"io"
	"path/filepath"
	"strings"

	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/rundir"
)

// Files writes NAME.svg and NAME.png into an existing directory, each atomically.
func (c *Chart) Files(dir, name string) (paths []string, err error) {
	if paths, err = c.SVGFile(dir, name); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, name+".png")
	if err := rundir.Replace(path, c.PNG); err != nil {
		return paths, err
	}
	return append(paths, path), nil
}

// SVGFile writes only NAME.svg, in a fifth of the time.
func (c *Chart) SVGFile(dir, name string) (paths []string, err error) {
	path := filepath.Join(dir, name+".svg")
	err = rundir.Replace(path, func(w io.Writer) error { return c.SVG(w, Wide) })
	if err != nil {
		return nil, err
	}
	return []string{path}, nil
}

// FileName reduces a text to lower-case letters, digits and dashes.
func FileName(text string) string {
	out := strings.TrimLeft(notAlphanumeric.ReplaceAllString(strings.ToLower(text), "-"), "-")
	return strings.Trim(out[:min(len(out), 100)], "-")
}

var notAlphanumeric = lazyregexp.New("[^a-z0-9]+")
