package measure

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/perf/benchfmt"

	"github.com/poolbench/poolbench/internal/files"
	"github.com/poolbench/poolbench/internal/metric"
)

// If the gate is killed, the journal loses only the current pair. Both files are in the Go
// benchmark format. Some configuration lines vary between pairs:
//
//	benchstat -ignore pair,order,seed,layout old.txt new.txt
type journal struct {
	files [2]*os.File
	texts [2]bytes.Buffer
	write [2]*benchfmt.Writer
	kept  map[string][][2]reading // by benchmark, consecutive pairs from the first on
	units benchfmt.UnitMetadataMap
	runs  int
}

var (
	resultFiles  = [2]string{"old.txt", "new.txt"}
	controlFiles = [2]string{"control-old.txt", "control-new.txt"}
)

func openJournal(
	dir string, names [2]string, benchmarks []benchmark, units benchfmt.UnitMetadataMap,
	notes [2]string,
) (*journal, error) {
	j := &journal{kept: map[string][][2]reading{}, units: units}
	var old [2]map[string]map[int]record
	for _, s := range []side{base, head} {
		var err error
		if old[s], err = readJournal(filepath.Join(dir, names[s]), s, benchmarks,
			j.units); err != nil {
			return nil, err
		}
	}
	for _, s := range []side{base, head} {
		j.write[s] = benchfmt.NewWriter(&j.texts[s])
		fmt.Fprintf(&j.texts[s], "# poolbench results 1\n# %s\n", notes[s])
		for _, line := range unitLines(j.units) {
			fmt.Fprintln(&j.texts[s], line)
		}
	}
	// The files are rewritten without incomplete pairs and end marks.
	for _, b := range benchmarks {
		for pair := 0; ; pair++ {
			was, ok := old[base][b.String()][pair]
			is, both := old[head][b.String()][pair]
			if !ok || !both {
				break
			}
			was.runs[head] = is.runs[head]
			if err := j.add(b, was); err != nil {
				return nil, err
			}
		}
	}
	for _, s := range []side{base, head} {
		path := filepath.Join(dir, names[s])
		if err := files.Write(path, j.texts[s].Bytes()); err != nil {
			return nil, errors.Join(err, j.close(""))
		}
		j.texts[s].Reset()
		var err error
		if j.files[s], err = os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0); err != nil {
			return nil, errors.Join(err, j.close(""))
		}
	}
	return j, nil
}

func (j *journal) add(b benchmark, r record) error {
	for _, s := range []side{base, head} {
		if err := j.write[s].Write(r.result(s, b)); err != nil {
			return err
		}
	}
	j.kept[b.String()] = append(j.kept[b.String()], r.runs)
	j.runs++
	return nil
}

func (j *journal) append(b benchmark, r record) error {
	if err := j.add(b, r); err != nil {
		return err
	}
	for s, f := range j.files {
		if _, err := f.Write(j.texts[s].Bytes()); err != nil {
			return err
		}
		j.texts[s].Reset()
	}
	return nil
}

func (j *journal) readings(pkg, shown string) [][2]reading {
	return j.kept[benchmark{Package: pkg, Name: "Benchmark" + shown}.String()]
}

func (j *journal) has(b benchmark, pair int) bool { return pair < len(j.kept[b.String()]) }

func (j *journal) close(mark string) error {
	var wrong []error
	for _, f := range j.files {
		if f == nil {
			continue
		}
		if mark != "" {
			_, err := fmt.Fprintf(f, "# %s\n", mark)
			wrong = append(wrong, err)
		}
		wrong = append(wrong, f.Close())
	}
	return errors.Join(wrong...)
}

const maxBytes = 1 << 30

// readJournal reads the complete lines of one side's file. A missing file is empty.
func readJournal(
	path string, which side, benchmarks []benchmark, units benchfmt.UnitMetadataMap,
) (map[string]map[int]record, error) {
	data, err := files.ReadFile(path, maxBytes)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	data = data[:bytes.LastIndexByte(data, '\n')+1]
	known := map[string]bool{}
	for _, b := range benchmarks {
		known[b.String()] = true
	}
	kept := map[string]map[int]record{}
	reader := benchfmt.NewReader(bytes.NewReader(data), path)
	for reader.Scan() {
		rec, ok := reader.Result().(*benchfmt.Result)
		if bad, isBad := reader.Result().(*benchfmt.SyntaxError); isBad {
			return nil, bad
		}
		if !ok {
			continue
		}
		rec = rec.Clone()
		r, err := fromResult(rec, which)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		of := benchmark{Package: rec.GetConfig("pkg"),
			Name: plain(r.runs[which].name, processors())}.String()
		if !known[of] {
			return nil, fmt.Errorf("%s: %s is not in %s", path, of, PlanFile)
		}
		if kept[of] == nil {
			kept[of] = map[int]record{}
		}
		kept[of][r.slot.pair] = r
	}
	maps.Copy(units, reader.Units())
	return kept, reader.Err()
}

func fromResult(rec *benchfmt.Result, s side) (r record, err error) {
	machine := map[string]string{}
	for _, key := range ofMachine {
		machine[key] = rec.GetConfig(key)
	}
	if r.runs[s], err = newReading(rec, machine); err != nil {
		return r, err
	}
	var wrong [3]error
	r.slot.pair, wrong[0] = strconv.Atoi(rec.GetConfig("pair"))
	r.slot.layout, wrong[1] = strconv.Atoi(rec.GetConfig("layout"))
	r.slot.seed, wrong[2] = strconv.ParseUint(rec.GetConfig("seed"), 10, 64)
	r.slot.pair--
	r.slot.layout--
	r.slot.headFirst = (rec.GetConfig("order") == "first") == (s == head)
	return r, errors.Join(wrong[:]...)
}

// Only instructions are judged. The other units describe the machine.
const (
	Instructions = "instructions/op"
	Steal        = metric.CPUSteal
	LoadAverage  = "load-average" // over the last minute, after the pair
)

type record struct {
	slot slot
	runs [2]reading
}

func (r record) result(s side, b benchmark) *benchfmt.Result {
	run := r.runs[s]
	order := "first"
	if (s == head) != r.slot.headFirst {
		order = "second"
	}
	var config []benchfmt.Config
	set := func(key, value string) {
		if value != "" {
			config = append(config, benchfmt.Config{Key: key, Value: []byte(value), File: true})
		}
	}
	for _, key := range ofMachine {
		set(key, run.machine[key])
	}
	set("pkg", b.Package)
	set("pair", fmt.Sprint(r.slot.pair+1))
	set("order", order)
	set("seed", fmt.Sprint(r.slot.seed))
	set("layout", fmt.Sprint(r.slot.layout+1))
	return &benchfmt.Result{Config: config, Name: benchfmt.Name(run.name[len("Benchmark"):]),
		Iters: run.iters, Values: run.values}
}

func (r *reading) add(value float64, unit string) {
	r.values = append(slices.Clip(r.values), benchfmt.Value{Value: value, Unit: unit})
	r.tidy[unit] = value
}

func unitLines(units benchfmt.UnitMetadataMap) (lines []string) {
	for _, u := range units {
		lines = append(lines, fmt.Sprintf("Unit %s %s=%s", u.OrigUnit, u.Key, u.Value))
	}
	slices.Sort(lines)
	return lines
}

func loadAverage() float64 {
	text, err := os.ReadFile("/proc/loadavg")
	if err != nil {
		return -1
	}
	first, _, _ := strings.Cut(string(text), " ")
	load, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return -1
	}
	return load
}
