package attack

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httputil"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/record"
)

// Calls fill an answer in place: returning copies would grow the stack of every goroutine that runs
// a request beyond 4 kB, a fifth of the cost of a request.
type answer struct {
	status     int // 0: no answer
	in, out    int64
	retryAfter time.Duration
	err        error // why the answer is missing or incomplete
	closes     bool  // the connection must not be reused
	stored     bool  // its cookies are in the session's jar
	// from sending the request to the first byte of the answer; 0: unknown
	firstByte time.Duration
	// with an empty body
	redirect *http.Response
	kept     *checks.Answer // the parts to keep; nil: none
}

var errLate = fmt.Errorf("the answer ended after the timeout: %w", os.ErrDeadlineExceeded)

// expire makes an answer that took longer than the timeout, in ns, a request without an answer. On
// a busy machine a goroutine may continue so late that it reads the answer after the deadline,
// although no read failed.
func (a *answer) expire(took int64, timeout time.Duration) {
	if a.err == nil && took > int64(timeout) {
		a.status, a.retryAfter, a.err = 0, 0, errLate
	}
}

// keptAnswer allocates the parts that checks need and, for the first failures with each status, the
// body. run.inspect releases them for reuse.
func (c *caller) keptAnswer(status int) *checks.Answer {
	keep := c.keep
	if c.attack.outcomeOf(status) != record.Completed && status > 0 && !c.keptEnough(status) {
		keep = checks.Needs{Head: true, Body: max(keep.Body, checks.ForFailures)}
	}
	if keep == (checks.Needs{}) {
		return nil
	}
	k := keptAnswers.Get().(*checks.Answer)
	k.Reset(keep.Body)
	k.Status = status
	return k
}

// In sessions every failure is kept, because each step has its own failures.
func (c *caller) keptEnough(status int) bool {
	return c.attack.Session == nil && (status >= len(c.said) ||
		c.said[status].Load() >= checks.MaxBodies || c.said[status].Add(1) > checks.MaxBodies)
}

var keptAnswers = sync.Pool{New: func() any { return new(checks.Answer) }}

func (a *answer) body() io.Writer {
	if a.kept != nil && a.kept.Most > 0 {
		return a.kept
	}
	return io.Discard
}

func (w *wire) read(o *outgoing, follows bool, c *caller, a *answer) (got reached) {
	w.limit.left = maxHeader
	if _, a.err = w.reader.Peek(1); a.err != nil {
		return written
	}
	firstByte := time.Since(w.sent)
	come, _ := w.reader.Peek(w.reader.Buffered())
	h, ok := parseHead(come, o.Method)
	if !ok || follows && h.Redirects && isRedirect(h.Status) {
		*a = w.readSlowly(o, follows, c)
		a.firstByte = firstByte
		return begun
	}
	a.firstByte = firstByte
	a.status, a.out, a.closes = h.Status, o.body, h.Closes
	if a.kept = c.keptAnswer(h.Status); a.kept != nil {
		a.kept.Head = append(a.kept.Head, come[:h.Size]...)
	}
	if h.RetryAfter != nil {
		a.retryAfter = retryAfter(string(h.RetryAfter), time.Now)
	}
	_, _ = w.reader.Discard(h.Size) // already buffered
	w.limit.left = math.MaxInt64
	if to := a.body(); h.Length >= 0 {
		a.in, a.err = w.skip(h.Length, to)
	} else {
		var more bool
		a.in, more, a.err = w.skipChunks(to)
		a.closes = a.closes || more
	}
	if a.err != nil {
		a.status, a.retryAfter = 0, 0
	}
	return begun
}

func (w *wire) readSlowly(o *outgoing, follows bool, c *caller) (a answer) {
	resp, err := w.response(o.Request)
	if err != nil {
		return answer{err: err}
	}
	w.limit.left = math.MaxInt64
	if follows && isRedirect(resp.StatusCode) && resp.Header.Get("Location") != "" {
		if a.out = o.body; resp.ContentLength <= maxSlurped {
			a.in, err = io.CopyN(io.Discard, resp.Body, maxSlurped+1)
		}
		a.closes, a.redirect = resp.Close || err != io.EOF, resp
		resp.Body = http.NoBody
		return a
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		resp.Body, resp.Close = http.NoBody, true
	}
	a = c.read(resp)
	a.out, a.closes = o.body, resp.Close
	return a
}

// maxSlurped is how much of a redirect's body is read to reuse its connection, as in http.Client.
const maxSlurped = 2 << 10

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// The size limit covers all headers, interim responses included.
func (w *wire) response(to *http.Request) (*http.Response, error) {
	for {
		resp, err := http.ReadResponse(w.reader, to)
		if err != nil || resp.StatusCode < 100 || resp.StatusCode >= 200 ||
			resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, err
		}
	}
}

// Only the last bytes go through the buffer, which reveals bytes after the body.
func (w *wire) skip(n int64, to io.Writer) (read int64, err error) {
	if n > int64(w.reader.Size()) {
		b := buffers.Get().(*[]byte)
		defer buffers.Put(b)
		for left := n; left > int64(w.reader.Size()); left = n - read {
			got, err := w.reader.Read((*b)[:min(left-int64(w.reader.Size()), int64(len(*b)))])
			_, _ = to.Write((*b)[:got])
			if read += int64(got); err != nil {
				return read, unexpected(err)
			}
		}
	}
	if to != io.Discard {
		come, _ := w.reader.Peek(int(n - read))
		_, _ = to.Write(come)
	}
	last, err := w.reader.Discard(int(n - read))
	return read + int64(last), unexpected(err)
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 64<<10); return &b }}

func unexpected(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}

// more reports whether bytes after the body and its trailer were read.
func (w *wire) skipChunks(to io.Writer) (read int64, more bool, err error) {
	b := buffers.Get().(*[]byte)
	defer buffers.Put(b)
	chunks := httputil.NewChunkedReader(w.reader)
	for err == nil {
		var n int
		n, err = chunks.Read(*b)
		_, _ = to.Write((*b)[:n])
		read += int64(n)
	}
	if err != io.EOF {
		return read, false, err
	}
	if end, _ := w.reader.Peek(2); bytes.Equal(end, []byte("\r\n")) {
		_, err = w.reader.Discard(2)
		return read, false, err
	}
	rest := bufio.NewReader(io.MultiReader(strings.NewReader(
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"), w.reader))
	resp, err := http.ReadResponse(rest, nil)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	return read, rest.Buffered() > 0, err
}
