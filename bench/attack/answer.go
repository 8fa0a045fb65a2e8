package attack

import (
	"bufio"
	"bytes"
	"io"
	"math"
	"net/http"
	"net/http/httputil"
	"strings"
	"sync"
	"time"

	"github.com/poolbench/poolbench/bench/attack/checks"
)

// An answer is what became of one call. On its way over a wire it is filled in where it will be:
// a copy in each frame would make the stack of every goroutine that a request runs in grow beyond
// 4 kB, which costs a fifth of the request.
type answer struct {
	status     int // 0: there is none
	in, out    int64
	retryAfter time.Duration
	err        error // why there is none, or not all of it
	closes     bool  // the connection is not to be used again
	stored     bool  // its cookies are in the jar of its session
	// from sending the request to the first byte of the answer; 0: nobody knows
	firstByte time.Duration
	// what the answer was, with an empty body, where it says to look elsewhere
	redirect *http.Response
	kept     *checks.Answer // what is wanted of it; nil: nothing is
}

// kept is what will be kept of an answer; run.inspect has it used again.
func kept(keep checks.Needs) *checks.Answer {
	if keep == (checks.Needs{}) {
		return nil
	}
	k := keptAnswers.Get().(*checks.Answer)
	k.Reset(keep.Body)
	return k
}

var keptAnswers = sync.Pool{New: func() any { return new(checks.Answer) }}

func (a *answer) body() io.Writer {
	if a.kept != nil && a.kept.Most > 0 {
		return a.kept
	}
	return io.Discard
}

// read reads the answer to a request to its end, and keeps nothing of it but what counts.
func (w *wire) read(
	o *outgoing, follows bool, keep checks.Needs, a *answer,
) (got reached) {
	w.limit.left = maxHeader
	if _, a.err = w.reader.Peek(1); a.err != nil {
		return written
	}
	firstByte := time.Since(w.sent)
	come, _ := w.reader.Peek(w.reader.Buffered())
	h, ok := parseHead(come, o.Method)
	if !ok || follows && h.Redirects && isRedirect(h.Status) {
		*a = w.readSlowly(o, follows, keep)
		a.firstByte = firstByte
		return begun
	}
	a.firstByte = firstByte
	a.status, a.out, a.closes = h.Status, o.body, h.Closes
	if a.kept = kept(keep); keep.Head {
		a.kept.Head = append(a.kept.Head, come[:h.Size]...)
	}
	if h.RetryAfter != nil {
		a.retryAfter = retryAfter(string(h.RetryAfter), time.Now)
	}
	_, _ = w.reader.Discard(h.Size) // which is there
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

// readSlowly is read by net/http.
func (w *wire) readSlowly(o *outgoing, follows bool, keep checks.Needs) (a answer) {
	resp, err := w.response(o.Request)
	if err != nil {
		return answer{err: err}
	}
	w.limit.left = math.MaxInt64
	if follows && isRedirect(resp.StatusCode) && resp.Header.Get("Location") != "" {
		if a.out = o.body; resp.ContentLength <= mostSlurped {
			a.in, err = io.CopyN(io.Discard, resp.Body, mostSlurped+1)
		}
		a.closes, a.redirect = resp.Close || err != io.EOF, resp
		resp.Body = http.NoBody
		return a
	}
	if resp.StatusCode == http.StatusSwitchingProtocols {
		resp.Body, resp.Close = http.NoBody, true
	}
	a = read(resp, keep)
	a.out, a.closes = o.body, resp.Close
	return a
}

// mostSlurped is how much of a redirect's body is read so that its connection can be used again, as
// http.Client has it.
const mostSlurped = 2 << 10

func isRedirect(status int) bool {
	switch status {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther,
		http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
		return true
	}
	return false
}

// response reads up to the body of the answer. All headers before it count for the limit.
func (w *wire) response(to *http.Request) (*http.Response, error) {
	for {
		resp, err := http.ReadResponse(w.reader, to)
		if err != nil || resp.StatusCode < 100 || resp.StatusCode >= 200 ||
			resp.StatusCode == http.StatusSwitchingProtocols {
			return resp, err
		}
	}
}

// skip reads n bytes. What does not fit the reader's buffer goes past it, but for the end: what
// comes behind it is to be seen.
func (w *wire) skip(n int64, to io.Writer) (read int64, err error) {
	if n > int64(w.reader.Size()) {
		b := buffers.Get().(*[]byte)
		defer buffers.Put(b)
		for left := n; left > int64(w.reader.Size()); left = n - read {
			got, err := w.reader.Read((*b)[:min(left-int64(w.reader.Size()), int64(len(*b)))])
			_, _ = to.Write((*b)[:got]) // which takes all
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

// skipChunks reads a body in chunks and its trailer, and says whether more has been read.
func (w *wire) skipChunks(to io.Writer) (read int64, more bool, err error) {
	b := buffers.Get().(*[]byte)
	defer buffers.Put(b)
	chunks := httputil.NewChunkedReader(w.reader)
	for err == nil {
		var n int
		n, err = chunks.Read(*b)
		_, _ = to.Write((*b)[:n]) // which takes all
		read += int64(n)
	}
	if err != io.EOF {
		return read, false, err
	}
	if end, _ := w.reader.Peek(2); bytes.Equal(end, []byte("\r\n")) {
		_, err = w.reader.Discard(2)
		return read, false, err
	}
	// a trailer, which net/http knows how to read
	rest := bufio.NewReader(io.MultiReader(strings.NewReader(
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n"), w.reader))
	resp, err := http.ReadResponse(rest, nil)
	if err == nil {
		_, err = io.Copy(io.Discard, resp.Body)
	}
	return read, rest.Buffered() > 0, err
}
