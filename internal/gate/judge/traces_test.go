package judge_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	_ "embed"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
)

//go:embed testdata/cpu.txt
var cpuTrace []byte

//go:embed testdata/lat.txt.gz
var latTrace []byte

type traces struct {
	sha, maps  []float64   // ns per task, consecutive tasks
	throughput []float64   // operations per second, consecutive runs
	latencies  [][]float64 // ns, sorted, of each of these runs
}

func readTraces() (*traces, error) {
	t := &traces{}
	err := eachLine("cpu.txt", bytes.NewReader(cpuTrace), func(fields []float64) error {
		if len(fields) != 3 {
			return fmt.Errorf("%d numbers, want 3", len(fields))
		}
		t.sha, t.maps = append(t.sha, fields[1]), append(t.maps, fields[2])
		return nil
	})
	if err != nil {
		return nil, err
	}
	lat, err := gzip.NewReader(bytes.NewReader(latTrace))
	if err != nil {
		return nil, fmt.Errorf("lat.txt.gz: %w", err)
	}
	err = eachLine("lat.txt.gz", lat, func(fields []float64) error {
		if len(fields) != 502 || !slices.IsSorted(fields[2:]) {
			return fmt.Errorf("%d numbers, want 502 of which the last 500 ascend", len(fields))
		}
		t.throughput, t.latencies = append(t.throughput, fields[1]), append(t.latencies, fields[2:])
		return nil
	})
	return t, err
}

func eachLine(name string, r io.Reader, f func(fields []float64) error) error {
	lines := bufio.NewScanner(r)
	n := 0
	for lines.Scan() {
		n++
		var fields []float64
		for _, text := range strings.Fields(lines.Text()) {
			v, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return fmt.Errorf("%s:%d: %w", name, n, err)
			}
			fields = append(fields, v)
		}
		if err := f(fields); err != nil {
			return fmt.Errorf("%s:%d: %w", name, n, err)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", name, n, err)
	}
	if n == 0 {
		return fmt.Errorf("%s: the file is empty", name)
	}
	return nil
}
