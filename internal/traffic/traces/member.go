package traces

import (
	"bytes"
	"encoding/json"
	"errors"
)

var errJSON = errors.New("no JSON object")

// member is the value of the object's member of that name, a string without its quotes. It does not
// allocate: encoding/json would take most of the time that reading a trace takes. Only what is on
// the way to the member is checked.
func member(line []byte, name string) (value []byte, ok bool, err error) {
	rest := bytes.TrimLeft(line, " \t")
	if len(rest) == 0 || rest[0] != '{' {
		return nil, false, errJSON
	}
	rest = rest[1:]
	for {
		rest = bytes.TrimLeft(rest, " \t,")
		if len(rest) > 0 && rest[0] == '}' {
			return nil, false, nil
		}
		n := quoted(rest)
		if n == 0 {
			return nil, false, errJSON
		}
		key := rest[1 : n-1]
		rest = bytes.TrimLeft(rest[n:], " \t")
		if len(rest) == 0 || rest[0] != ':' {
			return nil, false, errJSON
		}
		rest = bytes.TrimLeft(rest[1:], " \t")
		if n = valueOf(rest); n == 0 {
			return nil, false, errJSON
		}
		if string(key) == name || bytes.IndexByte(key, '\\') >= 0 && unquoted(key) == name {
			if value = rest[:n]; value[0] == '"' {
				value = value[1 : n-1]
			}
			return value, true, nil
		}
		rest = rest[n:]
	}
}

func unquoted(key []byte) (s string) {
	if json.Unmarshal([]byte(`"`+string(key)+`"`), &s) != nil {
		return ""
	}
	return s
}

// quoted is the length of the string at the begin of the text; 0 where there is none.
func quoted(text []byte) int {
	if len(text) == 0 || text[0] != '"' {
		return 0
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return 0
}

// valueOf is the length of the value at the begin of the text; 0 where there is none.
func valueOf(text []byte) int {
	if n := quoted(text); n > 0 {
		return n
	}
	depth := 0
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth < 0 {
				return i
			}
			if depth == 0 {
				return i + 1
			}
		case ',', ' ', '\t':
			if depth == 0 {
				return i
			}
		case '"':
			n := quoted(text[i:])
			if n == 0 {
				return 0
			}
			i += n - 1
		}
	}
	return 0
}
