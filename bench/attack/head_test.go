package attack

import (
	"bufio"
	"bytes"
	"net/http"
	"testing"
)

// Parse must accept only heads that net/http accepts, with the same values.
func FuzzHead(f *testing.F) {
	for _, text := range []string{
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n01234",
		"HTTP/1.1 204\r\n\r\n", "HTTP/1.1 204\r4\r\n\r\n",
		"HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n",
		"HTTP/1.1 302 Found\r\nLocation: /x\r\nConnection: close\r\nContent-Length: 0\r\n\r\n",
		"HTTP/1.1 503 \r\nRetry-After: 3\r\nRetry-After: 4\r\nContent-Length:007\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 5\r\n\r\n",
		"HTTP/1.1 304 OK\r\nTrailer: x\r\nX:\xff \t\r\nConnection: Keep-Alive\r\n\r\n",
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n",
		"HTTP/1.1 200 OK\r\nX: 1\r\n 2\r\nContent-Length: 0\r\n\r\n"} {
		for _, method := range []string{"GET", "HEAD"} {
			f.Add([]byte(text), method)
		}
	}
	f.Fuzz(func(t *testing.T, text []byte, method string) {
		h, ok := parseHead(text, method)
		if !ok {
			return
		}
		resp, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(text)),
			&http.Request{Method: method})
		if err != nil {
			t.Fatal(err)
		}
		chunked := len(resp.TransferEncoding) > 0 && resp.Body != http.NoBody
		length := resp.ContentLength
		if resp.Body == http.NoBody {
			length = 0
		}
		if h.Status != resp.StatusCode || h.Closes != resp.Close || chunked != (h.Length < 0) ||
			h.Length >= 0 && h.Length != length ||
			string(bytes.TrimSpace(h.RetryAfter)) != resp.Header.Get("Retry-After") ||
			!h.Redirects && resp.Header.Get("Location") != "" {
			t.Errorf("%+v, net/http: %+v", h, resp)
		}
	})
}

// Common heads must be parsed without net/http.
func TestParseHead(t *testing.T) {
	for text, want := range map[string]responseHead{
		"HTTP/1.1 200 OK\r\nDate: Tue, 24 Nov 2026 10:00:00 GMT\r\nContent-Length: 6\r\n" +
			"Content-Type: text/plain; charset=utf-8\r\n\r\nhello\n": {Status: 200, Length: 6},
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n":     {Status: 200, Length: -1},
		"HTTP/1.1 204 No Content\r\nConnection: keep-alive\r\n\r\n": {Status: 204},
		"HTTP/1.1 500 Oops\r\nConnection: close\r\nContent-Length: 0\r\n\r\n": {Status: 500,
			Closes: true},
	} {
		got, ok := parseHead([]byte(text), "GET")
		if got.Size == 0 || !ok {
			t.Errorf("%q: %+v, %v", text, got, ok)
		}
		if got.Size = 0; got.Status != want.Status || got.Length != want.Length ||
			got.Closes != want.Closes {
			t.Errorf("%q: %+v", text, got)
		}
	}
}
