package charts

import (
	"io"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/poolbench/poolbench/internal/files/rundir"
)

// Files writes the chart into a directory that is there, as NAME.svg and NAME.png, each at once,
// and returns their paths.
func (c *Chart) Files(dir, name string) (paths []string, err error) {
	for _, file := range []struct {
		ext    string
		render func(io.Writer) error
	}{{".svg", func(w io.Writer) error { return c.SVG(w, Wide) }}, {".png", c.PNG}} {
		path := filepath.Join(dir, name+file.ext)
		if err := rundir.Replace(path, file.render); err != nil {
			return paths, err
		}
		paths = append(paths, path)
	}
	return paths, nil
}

// FileName keeps what the name of a file is made of: letters, digits and dashes.
func FileName(text string) string {
	out := strings.TrimLeft(unfit.ReplaceAllString(strings.ToLower(text), "-"), "-")
	return strings.Trim(out[:min(len(out), 100)], "-")
}

var unfit = regexp.MustCompile("[^a-z0-9]+")
