package rundir

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"strconv"
	"strings"
	"time"

	hdrhistogram "github.com/HdrHistogram/hdrhistogram-go"

	"github.com/poolbench/poolbench/internal/files"
)

// Only wanted histograms are decoded, because a histogram with three digits uses about 200 kB, and
// a log may contain a thousand. cutOff is the number of an incomplete last line, which is skipped,
// or 0. The error is fs.ErrNotExist if there is no log.
func EachHistogram(
	path string, wanted func(tag string) bool,
	f func(line Histogram, h *hdrhistogram.Histogram) error,
) (cutOff int, err error) {
	return eachLine(path, func(line string) error {
		tag, tagged := strings.CutPrefix(line, "Tag=")
		tag, _, _ = strings.Cut(tag, ",")
		if !tagged || !wanted(tag) {
			return nil
		}
		// The log reader of the library would compute the largest value of each histogram twice,
		// which costs as much as decoding it.
		of, _, err := ParseHistogram(line)
		if err != nil {
			return errors.New("not a line of a histogram log")
		}
		h, err := hdrhistogram.Decode([]byte(of.Encoded))
		if err != nil {
			return err
		}
		return f(of, h)
	})
}

// cutOff is the number of a last line without a newline, or 0.
func eachLine(path string, f func(line string) error) (cutOff int, err error) {
	log, err := os.Open(path)
	if err != nil {
		return 0, PathError(path, err)
	}
	defer log.Close()
	lines := bufio.NewReader(files.Lines(files.Reader(log, MaxBytes), MaxLine))
	for n := 1; ; n++ {
		line, err := lines.ReadString('\n')
		switch {
		case errors.Is(err, io.EOF) && line == "":
			return 0, nil
		case errors.Is(err, io.EOF):
			return n, nil
		case err != nil:
			return 0, PathError(path, err)
		}
		if err := f(strings.TrimRight(line, "\r\n")); err != nil {
			return 0, fmt.Errorf("%s:%d: %w", path, n, err)
		}
	}
}

// Version 1.3 of the log supports tags.
func WriteHistogramHead(w io.Writer) error {
	log := hdrhistogram.NewHistogramLogWriter(w)
	return errors.Join(log.OutputLogFormatVersion(),
		log.OutputComment("[values are nanoseconds]\n"), log.OutputLegend())
}

const OverTime = "response-over-time"

type Histogram struct {
	Tag string
	// of the interval, relative to the start of the run; 0 for the whole run
	Start, Length time.Duration
	Largest       int64 // largest value, in nanoseconds
	Encoded       string
}

// The log writer of the library would decode and encode the histogram again, which costs 2 ms.
func WriteHistogram(w io.Writer, h Histogram) {
	fmt.Fprintf(w, "Tag=%s,%f,%f,%f,%s\n", h.Tag, h.Start.Seconds(), h.Length.Seconds(),
		float64(h.Largest)/hdrhistogram.MsToNsRatio, h.Encoded)
}

// ParseHistogram does not decode the histogram. ok is false for a line of the head.
func ParseHistogram(line string) (h Histogram, ok bool, err error) {
	tagged, ok := strings.CutPrefix(line, "Tag=")
	if !ok {
		return h, false, nil
	}
	fields := strings.Split(tagged, ",") // tag, start, length, maximum in ms, histogram
	if len(fields) != 5 {
		return h, true, fmt.Errorf("%s: not a line of a histogram log", fields[0])
	}
	h.Tag, h.Encoded = fields[0], fields[4]
	ms, err := strconv.ParseFloat(fields[3], 64)
	h.Largest = int64(math.Round(ms * hdrhistogram.MsToNsRatio))
	for i, to := range []*time.Duration{&h.Start, &h.Length} {
		sec, bad := strconv.ParseFloat(fields[1+i], 64)
		if bad != nil || !(sec >= 0 && sec <= maxSeconds) {
			return h, true, fmt.Errorf("%s: %q is no time in a run", h.Tag, fields[1+i])
		}
		*to = time.Duration(math.Round(sec * float64(time.Second)))
	}
	return h, true, err
}

// Tag consists of the run's name, its index among runs of that name, and the reading. A tag cannot
// contain a comma.
func Tag(name string, repetition int, reading string) string {
	return TagName(name) + "#" + strconv.Itoa(repetition) + ":" + reading
}

func TagName(name string) string { return strings.ReplaceAll(name, ",", ";") }

// ParseTag returns the name as in the tag.
func ParseTag(tag string) (name string, repetition int, reading string, ok bool) {
	at, hash := strings.LastIndexByte(tag, ':'), strings.LastIndexByte(tag, '#')
	if hash < 0 || at < hash {
		return "", 0, "", false
	}
	repetition, err := strconv.Atoi(tag[hash+1 : at])
	return tag[:hash], repetition, tag[at+1:], err == nil
}
