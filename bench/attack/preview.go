package attack

import (
	"bytes"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/poolbench/poolbench/bench/attack/requests"
)

// A Preview is a request as it will be sent, with secrets masked.
type Preview struct {
	Method, URL string
	Header      []string // lines
	Body        string   // its first bytes
}

const maxPreviewed = 1 << 10

// Previews returns the first n distinct requests, or the steps of the first session. Values to be
// captured are shown as their names.
func (a Attack) Previews(n int) (all []Preview, err error) {
	a = a.withDefaults()
	if a.Session != nil {
		n = min(n, len(a.Requests))
	} else if a.Tasks > 0 {
		n = min(n, a.Tasks)
	}
	if !slices.ContainsFunc(a.Requests, a.isTemplate) {
		n = min(n, len(a.Requests)) // the rest repeats
	}
	for seq := range uint64(n) {
		p, err := a.preview(seq)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	return all, nil
}

func (a *Attack) preview(seq uint64) (p Preview, err error) {
	i := int(seq % uint64(len(a.Requests)))
	r := a.Requests[i]
	secrets := requests.SecretsOfVariables(a.Environment)
	p.URL = r.URL
	if a.isTemplate(r) {
		parsed, err := a.parse(r, i)
		if err != nil {
			return p, err
		}
		var captured []requests.Value
		for _, name := range a.names {
			captured = append(captured, requests.Value{Text: "{{" + name + "}}"})
		}
		if r, err = parsed.Fill(a.Seed, seq, captured...); err != nil {
			return p, err
		}
		p.URL = parsed.Shown(a.Seed, seq)
		secrets = append(secrets, parsed.SecretColumns(seq)...)
		r = withoutUser(r)
	}
	p.Method, p.URL = r.Method, a.Show(p.URL)
	if a.spoken != nil { // it has no other HTTP method
		p.Method = http.MethodPost
	}
	if s := a.sampled(); s.Has(seq) {
		header := r.Header.Clone()
		if header == nil {
			header = http.Header{}
		}
		header.Set(traceHeader, s.Parent(seq))
		r.Header = header
	}
	if p.Header, err = a.headerLines(r); err != nil {
		return p, err
	}
	for k, line := range p.Header {
		name, value, _ := strings.Cut(line, ": ")
		p.Header[k] = name + ": " + requests.MaskValues(requests.MaskHeader(name, value), secrets)
	}
	bodiless := Request{URL: r.URL, Header: r.Header}
	secrets = append(secrets, requests.SecretsOf(bodiless, a.ShowQuery)...)
	p.Body = previewBody(r.Body, secrets)
	return p, nil
}

// HTTP/2 and HTTP/3 send names in lower case. gRPC sends only the given fields.
func (a *Attack) headerLines(r Request) (lines []string, err error) {
	if a.spoken != nil {
		for name, values := range r.Header {
			for _, v := range values {
				lines = append(lines, strings.ToLower(name)+": "+v)
			}
		}
		slices.Sort(lines)
		return lines, nil
	}
	built, err := r.Request()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := built.Write(&b); err != nil {
		return nil, err
	}
	head, _, _ := strings.Cut(b.String(), "\r\n\r\n")
	return strings.Split(head, "\r\n")[1:], nil
}

func previewBody(body []byte, secrets []requests.Secret) string {
	text := body[:min(len(body), maxPreviewed)]
	for len(text) < len(body) && len(text) > 0 && !utf8.RuneStart(body[len(text)]) {
		text = text[:len(text)-1]
	}
	if !utf8.Valid(text) || bytes.ContainsRune(text, 0) {
		return fmt.Sprintf("(%d bytes that are no text)", len(body))
	}
	shown := requests.Mask(string(text), secrets)
	if len(text) < len(body) {
		shown = requests.MaskCut(shown, secrets) + fmt.Sprintf("… (%d bytes)", len(body))
	}
	return shown
}
