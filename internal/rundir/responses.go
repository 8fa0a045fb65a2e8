package rundir

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// MaxResponses is the default limit of a directory. A million responses need about 4 MB of
// distributions.hlog.
const MaxResponses = 1_000_000

const maxOfRun = 10_000_000

// tasksPrefix begins a line that other readers treat as a comment. The line has a tag, the number
// of tasks, the responses and their parts, separated by commas.
const tasksPrefix = "#Tasks="

// NoResponse is the response of a task that did not complete.
const NoResponse = -1

func unpackResponses(n int, packed string) ([]int64, error) {
	if n < 1 || n > maxOfRun {
		return nil, fmt.Errorf("responses of %d tasks: want 1 to %d", n, maxOfRun)
	}
	in := unpack(packed)
	var responses []int64
	for range n {
		v, err := binary.ReadUvarint(in)
		if err != nil {
			return nil, fmt.Errorf("responses of %d tasks: %w", n, err)
		}
		if int64(v) < 0 {
			return nil, fmt.Errorf("responses of %d tasks: %d ns is none", n, v)
		}
		responses = append(responses, int64(v)-1)
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("responses of %d tasks: there are more", n)
	}
	return responses, nil
}

// An older directory has no parts.
func UnpackTasks(n int, packed string) (t Tasks, err error) {
	responses, parts, has := strings.Cut(packed, ",")
	if t.Responses, err = unpackResponses(n, responses); err == nil && has {
		err = t.unpackParts(parts)
	}
	return t, err
}

func WriteResponses(w io.Writer, tag string, tasks int, packed string) {
	fmt.Fprintf(w, "%s%s,%d,%s\n", tasksPrefix, tag, tasks, packed)
}

// ParseResponses does not unpack the responses. ok is false for other lines.
func ParseResponses(line string) (tag string, tasks int, packed string, ok bool) {
	rest, ok := strings.CutPrefix(line, tasksPrefix)
	fields := strings.SplitN(rest, ",", 3)
	if !ok || len(fields) != 3 {
		return "", 0, "", false
	}
	tasks, err := strconv.Atoi(fields[1])
	return fields[0], tasks, fields[2], err == nil
}

// The error is fs.ErrNotExist if there is no log.
func EachTasks(
	path string, wanted func(tag string) bool, f func(tag string, tasks *Tasks),
) error {
	_, err := eachLine(path, func(line string) error {
		tag, tasks, packed, ok := ParseResponses(line)
		if !ok || !wanted(tag) {
			return nil
		}
		all, err := UnpackTasks(tasks, packed)
		if err == nil {
			f(tag, &all)
		}
		return err
	})
	return err
}
