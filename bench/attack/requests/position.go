package requests

import (
	"encoding/json"
	"errors"
	"net/url"
	"strings"
)

// A position is where in a request a value stands: it says how the value is written there, so that
// it cannot leave its field.
type position int

const (
	inText   position = iota // as it is
	inHeader                 // as it is; no value with a control character is let in
	inForm                   // of a body
	// of a URL
	inOrigin // scheme and host, which are the same for all requests
	inPath
	inQuery
	// of JSON
	inJSON // where a value stands
	inString
	inEscape // behind a backslash
)

func (p position) after(text string) position {
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

// wrong says why no value may stand there; nil: it may.
func (p position) wrong() error {
	switch p {
	case inOrigin:
		return errors.New("scheme and host are the same for every request: no {{…}} can stand there")
	case inEscape:
		return errors.New("a backslash stands before {{…}}")
	}
	return nil
}

// put appends the value as it is written in that position.
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

// putRaw appends text unescaped, except for characters that would end a URL.
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

// putString appends what is between the quotes of a string of JSON.
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

// isLiteral reports whether a text is a number, true, false or null of JSON: so it stands where a
// table knows of no types.
func isLiteral(text string) bool {
	if text == "" || !strings.ContainsRune("-0123456789tfn", rune(text[0])) {
		return false
	}
	return strings.TrimSpace(text) == text && json.Valid([]byte(text))
}
