package reports

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"
)

// eachHistogram decodes those histograms of a log, called path in errors, whose tag is wanted: the others stay encoded, since one of three
// digits takes some 200 kB and a log may hold a thousand. cutOff is the number of a last line that was cut off, and is left out; 0 for none.
func eachHistogram(r io.Reader, path string, wanted func(tag string) bool, f func(tag string, h *hdrhistogram.Histogram) error) (cutOff int, err error) {
	lines := bufio.NewReader(r)
	for n := 1; ; n++ {
		line, err := lines.ReadString('\n')
		cut := errors.Is(err, io.EOF)
		if err != nil && !cut {
			return 0, pathError(path, err)
		}
		if line == "" {
			return 0, nil
		}
		if cut {
			return n, nil // the runner ends every line; this one was being written when it was killed
		}
		tag, tagged := strings.CutPrefix(line, "Tag=")
		tag, _, _ = strings.Cut(tag, ",")
		if !tagged || !wanted(tag) {
			continue
		}
		// The log reader skips what it does not understand, and does not count lines: it is given one at a time.
		h, err := hdrhistogram.NewHistogramLogReader(strings.NewReader(line)).NextIntervalHistogram()
		if err == nil && h == nil {
			err = errors.New("not a line of a histogram log")
		}
		if err == nil {
			err = f(tag, h)
		}
		if err != nil {
			return 0, fmt.Errorf("%s: %w", Pos{path, n}, err)
		}
	}
}
