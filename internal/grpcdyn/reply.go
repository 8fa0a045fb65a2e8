package grpcdyn

import (
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"golang.org/x/net/http2/hpack"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
)

type reply struct {
	Answer
	wants, one bool // headers and last message are requested; at most one message may arrive
	unsent     bool // nothing was sent
	unbegun    bool // the server has not begun the call
	begun      bool // the headers have arrived
	status     string
	http, kind string // HTTP status and content type
	// compression flag and length of the current message
	prefix         [5]byte
	have           int    // bytes of prefix read so far
	left           uint32 // remaining bytes of the message
	messages       int
	unacknowledged int // received bytes not yet added to the stream's window
}

// fail sets a status that does not come from the server.
func (r *reply) fail(code codes.Code, why string) { r.Code, r.Text, r.Answered = code, why, false }

// pushback is the trailer with the delay before a retry (gRFC A6).
const pushback = "grpc-retry-pushback-ms"

func (r *reply) field(h hpack.HeaderField) {
	switch h.Name {
	case ":status":
		r.http = h.Value
		return
	case "content-type":
		r.kind = h.Value
	case "grpc-status":
		r.status = h.Value
		return
	case "grpc-message":
		r.Text = unescaped(h.Value)
		return
	case pushback:
		if ms, err := strconv.ParseInt(h.Value, 10, 32); err == nil && ms > 0 {
			r.RetryAfter = time.Duration(ms) * time.Millisecond
		}
	case "grpc-encoding", "te":
		return
	}
	if !r.wants || strings.HasPrefix(h.Name, ":") {
		return
	}
	if r.Metadata == nil {
		r.Metadata = metadata.MD{}
	}
	value := h.Value
	if strings.HasSuffix(h.Name, "-bin") {
		if b, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(value, "=")); err == nil {
			value = string(b)
		}
	}
	r.Metadata[h.Name] = append(r.Metadata[h.Name], value)
}

func unescaped(text string) string {
	if !strings.Contains(text, "%") {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		if text[i] == '%' && i+2 < len(text) {
			if v, err := strconv.ParseUint(text[i+1:i+3], 16, 8); err == nil {
				b.WriteByte(byte(v))
				i += 2
				continue
			}
		}
		b.WriteByte(text[i])
	}
	return b.String()
}

// A header block may end the stream. over reports that the answer is complete. A code other than OK
// means that the answer is invalid.
func (r *reply) headed(ends bool) (over bool, code codes.Code, why string) {
	switch {
	case r.begun && !ends:
		return false, codes.Internal, "a second head came in the middle of the answer"
	case !r.begun && !ends && strings.HasPrefix(r.http, "1"): // an interim response
		r.Metadata = nil
		return false, codes.OK, ""
	case !r.begun && !strings.HasPrefix(r.kind, "application/grpc"):
		status, _ := strconv.Atoi(r.http) // 0 if invalid
		return false, ofHTTP(status), fmt.Sprintf("no gRPC: status %s, content-type %q", r.http,
			r.kind)
	}
	if r.begun = true; !ends {
		return false, codes.OK, ""
	}
	r.Answered, r.Code = true, codes.Unknown
	if n, err := strconv.ParseInt(r.status, 10, 32); err == nil {
		r.Code = codes.Code(uint32(n))
	} else if r.status != "" {
		return false, codes.Unknown, fmt.Sprintf("status %q", r.status)
	}
	if r.Code == codes.OK && (r.have > 0 || r.one && r.messages != 1) {
		r.Code = codes.Internal
		r.Text = fmt.Sprintf("it has %d messages, and a part of one more", r.messages)
		if r.have == 0 {
			r.Text = fmt.Sprintf("it has %d messages, where one is due", r.messages)
		}
	}
	return true, codes.OK, ""
}

func ofHTTP(status int) codes.Code {
	switch status {
	case 0, http.StatusBadRequest:
		return codes.Internal
	case http.StatusUnauthorized:
		return codes.Unauthenticated
	case http.StatusForbidden:
		return codes.PermissionDenied
	case http.StatusNotFound:
		return codes.Unimplemented
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable,
		http.StatusGatewayTimeout:
		return codes.Unavailable
	}
	return codes.Unknown
}

// bytes of one received message
const maxReceived = 64 << 20

// A code other than OK means that the message is invalid.
func (r *reply) take(p []byte) (codes.Code, string) {
	if !r.begun {
		return codes.Internal, "a message came before the head"
	}
	for len(p) > 0 {
		if r.have < len(r.prefix) {
			n := copy(r.prefix[r.have:], p)
			if r.have, p = r.have+n, p[n:]; r.have < len(r.prefix) {
				break
			}
			r.left = binary.BigEndian.Uint32(r.prefix[1:])
			switch {
			case r.prefix[0] != 0:
				return codes.Internal, "a message is compressed, which nobody had asked for"
			case r.left > maxReceived:
				return codes.ResourceExhausted, fmt.Sprintf("a message of %d bytes: want up to %d",
					r.left, maxReceived)
			case r.wants:
				r.Last = make([]byte, 0, min(r.left, 64<<10))
			}
		}
		n := min(int(r.left), len(p))
		if r.wants {
			r.Last = append(r.Last, p[:n]...)
		}
		r.In += int64(n)
		p = p[n:]
		if r.left -= uint32(n); r.left == 0 {
			r.messages, r.have = r.messages+1, 0
		}
	}
	return codes.OK, ""
}
