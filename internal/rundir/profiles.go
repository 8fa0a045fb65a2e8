package rundir

import (
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/poolbench/poolbench/internal/lazyregexp"
)

const (
	profileEnd = ".pb.gz"
	flightEnd  = ".trace"
)

const FlightKind = "flight"

var unsafeInFiles = lazyregexp.New(`[^a-zA-Z0-9_]+`)

// The path is relative to the directory, with slashes. It contains a hash of the name, which is too
// long for a file name.
func ProfileFile(name string, seed uint64, kind string) string {
	known := axisAndHash(name, "strategy")
	end := profileEnd
	if kind == FlightKind {
		end = flightEnd
	}
	return fmt.Sprintf("%s/%s-seed%d.%s%s", ProfilesDir, known, seed, kind, end)
}

// PercentilesFile has the text format of HdrHistogram.
func PercentilesFile(name string) string {
	return PercentilesDir + "/" + axisAndHash(name, "strategy", "target") + ".hgrm"
}

// The axis is the first of axes that the name contains.
func axisAndHash(name string, axes ...string) string {
	sum := fnv.New32a()
	sum.Write([]byte(name))
	by := "run"
	for _, axis := range axes {
		for _, part := range strings.Split(name, "/") {
			if of, value, _ := strings.Cut(part, "="); of == axis && by == "run" {
				by = strings.Trim(unsafeInFiles.ReplaceAllString(value, "-"), "-")
			}
		}
	}
	return fmt.Sprintf("%.40s-%08x", by, sum.Sum32())
}

func ProfilesOf(name string) []string {
	for _, part := range strings.Split(name, "/") {
		if axis, value, _ := strings.Cut(part, "="); axis == "profile" {
			return strings.Split(value, "+")
		}
	}
	return nil
}
