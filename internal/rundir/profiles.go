package rundir

import (
	"fmt"
	"hash/fnv"
	"regexp"
	"strings"
)

// profileEnd is what a profile is in: pprof's format, compressed; flightEnd is that of a trace.
const (
	profileEnd = ".pb.gz"
	flightEnd  = ".trace"
)

// FlightKind is the kind of a trace that was written for a slow task, which lies beside profiles.
const FlightKind = "flight"

var unsafeInFiles = regexp.MustCompile(`[^a-zA-Z0-9_]+`)

// ProfileFile is the path of a run's profile of that kind in its directory, with slashes: what a
// reader knows the run by, and a sum over all of its name, since that is too long for a file.
func ProfileFile(name string, seed uint64, kind string) string {
	known := known(name, "strategy")
	end := profileEnd
	if kind == FlightKind {
		end = flightEnd
	}
	return fmt.Sprintf("%s/%s-seed%d.%s%s", ProfilesDir, known, seed, kind, end)
}

// PercentilesFile is the path of the responses of an attack in its directory, with slashes, in the
// text format of HdrHistogram.
func PercentilesFile(name string) string {
	return PercentilesDir + "/" + known(name, "strategy", "target") + ".hgrm"
}

// known is what a reader knows a run by, the first of those axes that it has, and a sum over all of
// its name.
func known(name string, axes ...string) string {
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

// ProfilesOf are the kinds of profiles that a run of that name has.
func ProfilesOf(name string) []string {
	for _, part := range strings.Split(name, "/") {
		if axis, value, _ := strings.Cut(part, "="); axis == "profile" {
			return strings.Split(value, "+")
		}
	}
	return nil
}
