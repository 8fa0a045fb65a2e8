package rundir

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/poolbench/poolbench/internal/metric"
)

var PartNames = [...]metric.Part{metric.PartLag, metric.PartBlocked, metric.PartQueued,
	metric.PartBetween, metric.PartService}

type Parts [len(PartNames)]int64

// The last part is not written, because it is the response minus the others.
const last = len(PartNames) - 1

// With more than maxDues tasks, only every second, third, … due time is written.
const maxDues = 1 << 12

// Tasks must be added in the order of their due times.
type TaskPacker struct {
	stride, n, completed int
	due                  int64
	responses, dues      []byte
	// nil if the part is 0 for each task so far, as under the virtual clock
	parts      [last][]byte
	impossible bool // a part was negative, so no parts are written
}

const someBytes = 4

func NewTaskPacker(tasks int) *TaskPacker {
	return &TaskPacker{stride: (tasks + maxDues - 1) / maxDues,
		responses: make([]byte, 0, someBytes*tasks)}
}

func (p *TaskPacker) Add(due int64, completed bool, parts *Parts) {
	if p.n++; (p.n-1)%p.stride == 0 {
		appendUvarint(&p.dues, uint64(due-p.due))
		p.due = due
	}
	if !completed {
		p.responses = append(p.responses, NoResponse+1)
		return
	}
	response := parts[last]
	for i, v := range parts[:last] {
		response += v
		p.impossible = p.impossible || v < 0
		if of := &p.parts[i]; *of == nil && v != 0 {
			*of = make([]byte, p.completed,
				p.completed+someBytes*(cap(p.responses)/someBytes-p.n+1))
		}
		if of := &p.parts[i]; *of != nil {
			appendUvarint(of, uint64(v))
		}
	}
	p.impossible = p.impossible || parts[last] < 0
	appendUvarint(&p.responses, uint64(response+1))
	p.completed++
}

// Unlike binary.AppendUvarint, appendUvarint writes no pointer while there is room. The write
// barrier would cost more than the bytes.
func appendUvarint(to *[]byte, v uint64) {
	for ; v >= 0x80; v >>= 7 {
		*to = append(*to, byte(v)|0x80)
	}
	*to = append(*to, byte(v))
}

// Pack returns the input of UnpackTasks: the responses and, after a comma, their parts. Each
// response is increased by one, in nanoseconds. The parts consist of the number of tasks per due
// time, the due times as differences, and each part except the last. A part begins with a flag that
// is 0 if the part is 0 for all tasks. Otherwise its value for each completed task follows. All
// numbers are variable-length integers, deflated, in base64.
func (p *TaskPacker) Pack() (string, error) {
	responses, err := pack(p.responses)
	if err != nil || p.impossible {
		return responses, err
	}
	pieces := [][]byte{binary.AppendUvarint(nil, uint64(p.stride)), p.dues}
	for _, of := range p.parts {
		if of == nil {
			pieces = append(pieces, []byte{0})
		} else {
			pieces = append(pieces, []byte{1}, of)
		}
	}
	parts, err := pack(pieces...)
	return responses + "," + parts, err
}

// deflaters are reused, because a new one allocates 0.7 MB.
var deflaters = sync.Pool{New: func() any {
	w, err := flate.NewWriter(nil, flate.HuffmanOnly)
	if err != nil {
		panic(err) // unreachable, because the level is valid
	}
	return w
}}

// The data has no repetitions, so pack uses Huffman coding only.
func pack(pieces ...[]byte) (string, error) {
	var deflated bytes.Buffer
	for _, piece := range pieces {
		deflated.Grow(len(piece))
	}
	w := deflaters.Get().(*flate.Writer)
	defer deflaters.Put(w)
	w.Reset(&deflated)
	for _, piece := range pieces {
		_, _ = w.Write(piece) // Close returns its error
	}
	err := w.Close()
	return base64.StdEncoding.EncodeToString(deflated.Bytes()), err
}

func unpack(packed string) *bufio.Reader {
	return bufio.NewReader(flate.NewReader(base64.NewDecoder(base64.StdEncoding,
		strings.NewReader(packed))))
}

type Tasks struct {
	Responses []int64 // in nanoseconds, or NoResponse
	Parts     []Parts // in nanoseconds, 0 without a response; nil if not recorded
	stride    int
	dues      []int64
}

// The bounds differ if the run has too many tasks to record each due time.
func (t *Tasks) Due(i int) (from, until int64) {
	at := i / t.stride
	from = t.dues[at]
	if i%t.stride == 0 {
		return from, from
	}
	return from, t.dues[min(at+1, len(t.dues)-1)]
}

func (t *Tasks) SamePlan(as *Tasks) bool {
	return len(t.dues) > 0 && len(t.Responses) == len(as.Responses) && t.stride == as.stride &&
		slices.Equal(t.dues, as.dues)
}

func (t *Tasks) unpackParts(packed string) error {
	in := unpack(packed)
	n := len(t.Responses)
	stride, err := binary.ReadUvarint(in)
	if err == nil && (stride == 0 || stride > uint64(n)) {
		err = errors.New("due times of none or of more than there are")
	}
	if err != nil {
		return fmt.Errorf("parts of %d tasks: %w", n, err)
	}
	t.stride = int(stride)
	next := func(most int64) (v int64) {
		if err != nil {
			return 0
		}
		var u uint64
		if u, err = binary.ReadUvarint(in); err == nil && u > uint64(most) {
			err = errors.New("one is longer than its response")
		}
		return int64(u)
	}
	due := int64(0)
	for i := 0; i < n && err == nil; i += t.stride {
		due += next(1<<62 - due)
		t.dues = append(t.dues, due)
	}
	t.Parts = make([]Parts, n)
	for i, response := range t.Responses {
		t.Parts[i][last] = max(response, 0)
	}
	for part := range last {
		if next(1) == 0 {
			continue
		}
		for i, response := range t.Responses {
			if response == NoResponse {
				continue
			}
			of := &t.Parts[i]
			of[part] = next(of[last])
			of[last] -= of[part]
		}
	}
	if err != nil {
		return fmt.Errorf("parts of %d tasks: %w", n, err)
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("parts of %d tasks: there are more", n)
	}
	return nil
}
