package requests

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
)

// The position of a value decides its escaping, so that a value cannot leave its field.
type position int

const (
	inText   position = iota // unescaped
	inHeader                 // unescaped, without control characters
	inForm                   // of a body
	// of a URL
	inOrigin // scheme and host, equal for all requests
	inPath
	inQuery
	// of JSON
	inJSON // in place of a value
	inString
	inEscape // after a backslash
)

func (p position) advance(text string) position {
	switch p {
	case inText, inHeader, inForm:
		return p
	case inOrigin, inPath, inQuery:
		return p.afterURL(text)
	}
	for i := range len(text) {
		switch c := text[i]; {
		case p == inEscape:
			p = inString
		case p == inString && c == '\\':
			p = inEscape
		case c == '"' && p == inString:
			p = inJSON
		case c == '"':
			p = inString
		}
	}
	return p
}

func (p position) afterURL(text string) position {
	if p == inOrigin {
		_, behind, ok := strings.Cut(text, "://")
		at := strings.IndexAny(behind, "/?#")
		if !ok || at < 0 {
			return inOrigin
		}
		p, text = inPath, behind[at:]
	}
	if strings.ContainsAny(text, "?#") {
		return inQuery
	}
	return p
}

// wrong returns why no value may be in that position, or nil.
func (p position) wrong() error {
	switch p {
	case inOrigin:
		return errors.New("scheme and host must be the same for every request, so they cannot " +
			"contain {{…}}")
	case inEscape:
		return errors.New("there is a backslash before {{…}}")
	}
	return nil
}

func (p position) put(to []byte, v Value) []byte {
	switch p {
	case inPath:
		return append(to, url.PathEscape(v.Text)...)
	case inQuery, inForm:
		return append(to, url.QueryEscape(v.Text)...)
	case inString:
		return putString(to, v.Text)
	case inJSON:
		if v.JSON || isLiteral(v.Text) {
			return append(to, v.Text...)
		}
		return append(putString(append(to, '"'), v.Text), '"')
	}
	return append(to, v.Text...)
}

// putRaw appends text unescaped, except characters that would end a URL.
func (p position) putRaw(to []byte, text string) []byte {
	if p != inPath && p != inQuery {
		return append(to, text...)
	}
	const hex = "0123456789ABCDEF"
	for i := range len(text) {
		if c := text[i]; c <= ' ' || c >= 0x7f || c == '#' {
			to = append(to, '%', hex[c>>4], hex[c&15])
		} else {
			to = append(to, c)
		}
	}
	return to
}

func putString(to []byte, text string) []byte {
	for i := range len(text) {
		if c := text[i]; c < ' ' || c == '"' || c == '\\' || c >= 0x7f {
			quoted, err := json.Marshal(text)
			if err != nil {
				panic("templates: a string has no JSON: " + err.Error())
			}
			return append(to, quoted[1:len(quoted)-1]...)
		}
	}
	return append(to, text...)
}

// A number, true, false or null is written bare because tables have no types.
func isLiteral(text string) bool {
	if text == "" || !strings.ContainsRune("-0123456789tfn", rune(text[0])) {
		return false
	}
	return strings.TrimSpace(text) == text && json.Valid([]byte(text))
}
