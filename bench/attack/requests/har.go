package requests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

type archive struct {
	Log struct{ Entries entries }
}

// An empty entry would need a hundred times the memory of its text, so entries are decoded one by
// one.
type entries []struct{ Request harRequest }

const maxEntries = 200_000

func (all *entries) UnmarshalJSON(text []byte) error {
	dec := json.NewDecoder(bytes.NewReader(text))
	switch begins, err := dec.Token(); {
	case err != nil || begins == nil: // null
		return err
	case begins != json.Delim('['):
		return errors.New("log.entries is no array")
	}
	for dec.More() {
		if len(*all) == maxEntries {
			return fmt.Errorf("want at most %d entries", maxEntries)
		}
		var one struct{ Request harRequest }
		if err := dec.Decode(&one); err != nil {
			return err
		}
		*all = append(*all, one)
	}
	return nil
}

type harRequest struct {
	Method, URL string
	Headers     []pair
	Cookies     []pair
	PostData    *struct {
		MimeType string
		Text     string
		Params   []pair
	}
}

type pair struct{ Name, Value string }

// ReadHAR returns the requests in order, without connection headers. It skips other schemes, such
// as data: and ws:.
func ReadHAR(text []byte) (all []vegeta.Target, err error) {
	var a archive
	if err := json.Unmarshal(bytes.TrimPrefix(text, []byte("\ufeff")), &a); err != nil {
		if wrong, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, fmt.Errorf("line %d: %w", 1+bytes.Count(text[:min(int(wrong.Offset),
				len(text))], []byte("\n")), err)
		}
		return nil, err
	}
	for i, e := range a.Log.Entries {
		r := e.Request
		if !strings.HasPrefix(r.URL, "http://") && !strings.HasPrefix(r.URL, "https://") {
			continue
		}
		to := vegeta.Target{Method: r.Method, URL: r.URL, Header: r.header()}
		if to.Method == "" {
			return nil, fmt.Errorf("entry %d: it has no method", i+1)
		}
		if p := r.PostData; p != nil {
			to.Body = []byte(p.Text)
			if p.Text == "" && len(p.Params) > 0 {
				form := url.Values{}
				for _, v := range p.Params {
					form.Add(v.Name, v.Value)
				}
				to.Body = []byte(form.Encode())
			}
			if to.Header.Get("Content-Type") == "" && p.MimeType != "" {
				to.Header.Set("Content-Type", p.MimeType)
			}
		}
		all = append(all, to)
	}
	if len(all) == 0 {
		return nil, errors.New("it contains no HTTP request")
	}
	return all, nil
}

// ofConnection are headers of the connection, or computed on sending.
var ofConnection = []string{"Connection", "Content-Length", "Host", "Keep-Alive", "Proxy-Connection",
	"Te", "Trailer", "Transfer-Encoding", "Upgrade"}

func (r harRequest) header() http.Header {
	h := http.Header{}
	for _, p := range r.Headers {
		if !strings.HasPrefix(p.Name, ":") &&
			!slices.Contains(ofConnection, http.CanonicalHeaderKey(p.Name)) {
			h.Add(p.Name, p.Value)
		}
	}
	if h.Get("Cookie") == "" && len(r.Cookies) > 0 {
		var all []string
		for _, c := range r.Cookies {
			all = append(all, c.Name+"="+c.Value)
		}
		h.Set("Cookie", strings.Join(all, "; "))
	}
	return h
}
