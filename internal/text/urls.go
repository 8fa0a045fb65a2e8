package text

import (
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/lazyregexp"
)

const masked = "…"

// DiscreetURL removes user, password and fragment, path segments that look like tokens, and the
// values of the query except those named by show. It keeps templates {{name}}.
func DiscreetURL(address string, show ...string) string {
	head, mark, rest := cutAction(address, "?#")
	_, behind, _ := strings.Cut(head, "://")
	if strings.Contains(rest, "@") && !strings.Contains(behind, "/") {
		// The apparent query may be part of a password.
		head, mark, rest = cutAction(withoutUser(address), "?#")
	}
	head = discreetPath(withoutUser(head))
	switch mark {
	case "":
		return head
	case "#":
		return head + mark + masked
	}
	query, mark, _ := cutAction(rest, "#")
	if query = discreetQuery(query, show); mark != "" {
		query += mark + masked
	}
	return head + "?" + query
}

func discreetPath(head string) string {
	host, path := cutHost(head)
	segments := strings.Split(path, "/")
	for i, s := range segments {
		if isToken(s) {
			segments[i] = masked
		}
	}
	return host + strings.Join(segments, "/")
}

func Tokens(head string) []string {
	_, path := cutHost(head)
	return slices.DeleteFunc(strings.Split(path, "/"), func(s string) bool { return !isToken(s) })
}

func cutHost(head string) (host, path string) {
	begin := 0
	if at := strings.Index(head, "://"); at >= 0 {
		begin = at + len("://")
	}
	end := strings.IndexByte(head[begin:], '/')
	if end < 0 {
		return head, ""
	}
	return head[:begin+end], head[begin+end:]
}

// minToken is the length of the shortest token in a path. Numbers, UUIDs, hexadecimal hashes and
// method names are not tokens: they lack capitals, small letters or digits, or switch between these
// less often.
const minToken = 20

var jwt = lazyregexp.New(`^eyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*$`)

func isToken(segment string) bool {
	if len(segment) < minToken {
		return false
	}
	if jwt.MatchString(segment) {
		return true
	}
	kinds := [3]int{} // numbers of capitals, small letters, digits
	changes, last := 0, -1
	for _, c := range []byte(segment) {
		kind := -1
		switch {
		case 'A' <= c && c <= 'Z':
			kind = 0
		case 'a' <= c && c <= 'z':
			kind = 1
		case '0' <= c && c <= '9':
			kind = 2
		case strings.IndexByte("-_:=~", c) < 0:
			return false
		default:
			continue
		}
		kinds[kind]++
		if last >= 0 && kind != last {
			changes++
		}
		last = kind
	}
	return min(kinds[0], kinds[1], kinds[2]) > 0 && changes*20 >= len(segment)*9
}

// DiscreetText applies DiscreetURL to the URLs in a text.
func DiscreetText(text string, show ...string) string {
	text = word.ReplaceAllStringFunc(text, func(w string) string {
		if inner, ok := strings.CutPrefix(w, `"`); ok {
			return `"` + discreetWord(strings.TrimSuffix(inner, `"`), show) + `"`
		}
		inner := strings.TrimRight(w, ",:;.)")
		return discreetWord(inner, show) + w[len(inner):]
	})
	return withoutUser(text)
}

// A word is a quoted text, or a text without spaces.
var word = lazyregexp.New(`"(?:[^"\\]|\\.)*"|(?:\{\{.*?\}\}|[^\s"])+`)

func discreetWord(w string, show []string) string {
	if strings.Contains(w, "://") {
		return DiscreetURL(w, show...)
	}
	head, mark, query := cutAction(w, "?")
	if mark == "" {
		return w
	}
	return head + "?" + discreetQuery(query, show)
}

// user matches a possible user and password, even in a malformed URL. It rather matches too much
// than too little.
var user = lazyregexp.New(`((?:^"?)?(?i:[a-z][a-z0-9+.-]*://)|^"?)[^\s"/]*(?:/?[^\s"]*)@`)

func withoutUser(text string) string {
	// Files have 100,000 URLs, and the expression takes microseconds.
	if !strings.Contains(text, "@") {
		return text
	}
	return user.ReplaceAllString(text, "${1}"+masked+"@")
}

// A plain template action inserts a value and contains no secret.
var (
	action = lazyregexp.New(`\{\{.*?\}\}`)
	plain  = lazyregexp.New(`^\{\{\s*\w+(?:\s+-?\d+)*\s*\}\}$`)
)

// cutAction ignores characters within template actions.
func cutAction(text, at string) (before, mark, after string) {
	ends := strings.LastIndex(text, "}}")
	for i := 0; i < len(text); i++ {
		if i < ends && strings.HasPrefix(text[i:], "{{") {
			i += strings.Index(text[i:], "}}") + 1
			continue
		}
		if strings.IndexByte(at, text[i]) >= 0 {
			return text[:i], text[i : i+1], text[i+1:]
		}
	}
	return text, "", ""
}

// A longer query key may be a token, because a query may consist only of a token.
const maxName = 40

func discreetQuery(query string, show []string) string {
	var b strings.Builder
	for more := true; more; {
		var part, mark string
		part, mark, query = cutAction(query, "&;")
		name, eq, value := cutAction(part, "=")
		switch {
		case eq == "" || len(name) > maxName || strings.Trim(value, "=") == "" && len(name) > 16:
			b.WriteString(discreetValue(part))
		case slices.Contains(show, name):
			b.WriteString(part)
		default:
			b.WriteString(name + eq + discreetValue(value))
		}
		b.WriteString(mark)
		more = mark != ""
	}
	return b.String()
}

func discreetValue(value string) string {
	var b strings.Builder
	hide := func(text string) {
		if text != "" && !strings.HasSuffix(b.String(), masked) {
			b.WriteString(masked)
		}
	}
	at := 0
	for _, a := range action.FindAllStringIndex(value, -1) {
		hide(value[at:a[0]])
		if is := value[a[0]:a[1]]; plain.MatchString(is) {
			b.WriteString(is)
		} else {
			hide(is)
		}
		at = a[1]
	}
	hide(value[at:])
	return b.String()
}
