package requests

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"html"
	"mime"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strings"
	"unicode"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/internal/lazyregexp"
	"github.com/poolbench/poolbench/internal/text"
)

// Masked replaces a secret.
const Masked = "…"

// A Secret is a value to mask in output.
type Secret struct {
	text string
	of   string // its name in a query or a form; "": it is masked wherever it stands
}

// Private makes a text a secret in every place.
func Private(text string) Secret { return Secret{text: text} }

// A shorter value is not masked without its name: page=1 must not mask each "1" of an answer.
const shortest = 4

func addSecret(to []Secret, name, value string) []Secret {
	switch {
	case len(value) >= shortest || value != "" && IsSecret(name):
		return append(to, Private(value))
	case value == "" || name == "":
		return to
	}
	return append(to, Secret{value, name})
}

// SecretsOf returns the secrets of a request: query values except the names in show, user,
// password, headers, and fields of the body.
func SecretsOf(r vegeta.Target, show []string) []Secret {
	all := secretsOfURL(secretsOfHeader(nil, r.Header), r.URL, show)
	return secretsOfBody(all, r.Header.Get("Content-Type"), r.Body)
}

var ordinary = map[string]bool{"Accept": true, "Accept-Charset": true, "Accept-Encoding": true,
	"Accept-Language": true, "Access-Control-Request-Headers": true,
	"Access-Control-Request-Method": true, "Cache-Control": true, "Connection": true,
	"Content-Encoding": true, "Content-Language": true, "Content-Length": true,
	"Content-Type": true, "Date": true, "Dnt": true, "Expect": true, "Host": true,
	"If-Modified-Since": true, "If-Unmodified-Since": true, "Keep-Alive": true, "Origin": true,
	"Pragma": true, "Priority": true, "Range": true, "Sec-Fetch-Dest": true,
	"Sec-Fetch-Mode": true, "Sec-Fetch-Site": true, "Sec-Fetch-User": true, "Te": true,
	"Traceparent": true, "Transfer-Encoding": true, "Upgrade": true,
	"Upgrade-Insecure-Requests": true, "User-Agent": true, "X-Requested-With": true}

func secretsOfHeader(to []Secret, h http.Header) []Secret {
	for name, values := range h {
		for _, v := range values {
			switch name := textproto.CanonicalMIMEHeaderKey(name); {
			case ordinary[name]:
			case IsSecret(name):
				to = append(to, secretsIn(v)...)
			case strings.Contains(v, "://"):
				to = secretsOfURL(to, v, nil)
			default:
				to = addSecret(to, name, v)
			}
		}
	}
	return to
}

// secretsIn returns the value and its parts: credentials after a scheme, user and password of
// Basic, cookies.
func secretsIn(value string) (all []Secret) {
	all = append(all, Private(value))
	scheme, rest, ok := strings.Cut(value, " ")
	if rest = strings.TrimSpace(rest); ok {
		all = append(all, Private(rest))
	}
	if strings.EqualFold(scheme, "basic") {
		if text, err := base64.StdEncoding.DecodeString(rest); err == nil {
			name, password, _ := strings.Cut(string(text), ":")
			all = addSecret(append(all, Private(string(text)), Private(password)), "", name)
		}
	}
	if cookies, err := http.ParseCookie(value); err == nil {
		for _, c := range cookies {
			all = append(all, Private(c.Value))
		}
	}
	return all
}

func secretsOfURL(to []Secret, address string, show []string) []Secret {
	address, fragment, _ := strings.Cut(address, "#")
	head, query, _ := strings.Cut(address, "?")
	if _, behind, ok := strings.Cut(head, "://"); ok {
		host, _, _ := strings.Cut(behind, "/")
		if at := strings.LastIndex(host, "@"); at >= 0 {
			name, password, _ := strings.Cut(host[:at], ":")
			to = addSecret(append(to, Private(password)), "", name)
		}
	}
	for _, token := range text.Tokens(head) {
		to = append(to, Private(token))
	}
	return secretsOfQuery(secretsOfQuery(to, query, show), fragment, nil)
}

// A query may be only a token, in which a longer text before "=" is no name.
const maxSecretName = 40

func secretsOfQuery(to []Secret, query string, show []string) []Secret {
	separates := func(c rune) bool { return c == '&' || c == ';' }
	for part := range strings.FieldsFuncSeq(query, separates) {
		name, value, ok := strings.Cut(part, "=")
		if !ok || len(name) > maxSecretName || strings.Trim(value, "=") == "" {
			name, value = "", part
		}
		if slices.Contains(show, name) {
			continue
		}
		to = addSecret(to, name, value)
		if plain, err := url.QueryUnescape(value); err == nil && plain != value {
			to = addSecret(to, name, plain)
		}
	}
	return to
}

const (
	maxSearched = 1 << 20
	maxFields   = 2000
)

func secretsOfBody(to []Secret, kind string, body []byte) []Secret {
	body = bytes.TrimSpace(body[:min(len(body), maxSearched)])
	if len(body) == 0 {
		return to
	}
	most := len(to) + maxFields
	_, params, _ := mime.ParseMediaType(kind)
	switch text := string(body); {
	case params["boundary"] != "":
		to = secretsOfForm(to, params["boundary"], body)
	case body[0] == '{' || body[0] == '[' || strings.Contains(kind, "json"):
		to = secretsOfJSON(to, body, most)
	case strings.Contains(kind, "x-www-form-urlencoded"):
		to = secretsOfQuery(to, text, nil)
	default:
		to = secretsOfText(append(to, Private(text)), text)
	}
	return to[:min(len(to), most)]
}

func secretsOfJSON(to []Secret, body []byte, most int) []Secret {
	r := json.NewDecoder(bytes.NewReader(body))
	r.UseNumber()
	var name string
	var within []json.Delim
	isName := false
	for len(to) < most {
		token, err := r.Token()
		if err != nil { // treat the rest as text
			if rest := body[r.InputOffset():]; len(bytes.TrimSpace(rest)) > 0 {
				to = secretsOfText(to, string(rest))
			}
			break
		}
		inObject := len(within) > 0 && within[len(within)-1] == '{'
		switch v := token.(type) {
		case json.Delim:
			if v == '{' || v == '[' {
				within = append(within, v)
			} else {
				within = within[:len(within)-1]
			}
			isName = len(within) > 0 && within[len(within)-1] == '{'
			continue
		case string:
			if inObject && isName {
				name, isName = v, false
				continue
			}
			to = addSecret(to, name, v)
		case json.Number:
			to = addSecret(to, name, v.String())
		}
		isName = inObject
	}
	return to
}

// secretsOfText adds the words that do not look like natural language.
func secretsOfText(to []Secret, text string) []Secret {
	for w := range strings.FieldsFuncSeq(text, func(c rune) bool {
		return unicode.IsSpace(c) || strings.ContainsRune("<>\"'=&;,(){}[]", c)
	}) {
		if len(w) >= 20 || len(w) >= 8 && strings.ContainsFunc(w, unicode.IsDigit) {
			to = append(to, Private(w))
		}
	}
	return to
}

// Secrets returns the secrets of request number seq, captured values and secret columns included.
func (r *Request) Secrets(seed, seq uint64, show []string, captured ...Value) []Secret {
	f := r.filling(seed, seq, captured)
	var all []Secret
	if sent, err := r.fill(&f); err == nil {
		all = SecretsOf(sent, show)
	}
	for _, v := range captured {
		all = append(all, Private(v.Text))
	}
	for i, v := range f.row { // paths and errors may contain it
		all = addSecret(all, r.data.Columns[i], v.Text)
	}
	for _, c := range r.secrets {
		all = append(all, Private(f.row[c].Text))
	}
	return all
}

// SecretColumns returns the values of request number seq in columns with secret names.
func (r *Request) SecretColumns(seq uint64) (all []Secret) {
	f := r.filling(0, seq, nil)
	for _, c := range r.secrets {
		all = append(all, Private(f.row[c].Text))
	}
	return all
}

// MaskHeader masks a header's value unless the header is an ordinary one.
func MaskHeader(name, value string) string {
	if ordinary[textproto.CanonicalMIMEHeaderKey(name)] {
		return value
	}
	return Masked
}

// Shown returns the URL of request number seq with secret columns and captured values masked.
func (r *Request) Shown(seed, seq uint64) string {
	f := r.filling(seed, seq, r.step.placeholders("MASKED"))
	if len(r.secrets) > 0 {
		f.row = slices.Clone(f.row)
		for _, c := range r.secrets {
			f.row[c] = Value{Text: "MASKED"} // equal in every position
		}
	}
	text, err := r.urlOf(&f)
	if err != nil {
		return Masked
	}
	return text
}

// The patterns match too much rather than too little.
const (
	secretParts = `pass|pwd|secret|token|key|auth|credential|cookie|session|signature|assertion|` +
		`saml|hmac|jwt|ticket|otp`
	secretWords = `sig|pin|sid`
)

var secretName = lazyregexp.New(`(?i)` + secretParts +
	`|(?:^|[^a-z])(?:` + secretWords + `)(?:$|[^a-z])`)

// IsSecret reports whether values with that name must be masked.
func IsSecret(name string) bool { return secretName.MatchString(name) }

// inField matches a field with a secret's name, also in JSON within a JSON string.
var inField = lazyregexp.New(`(?i)((?:[\w.-]*(?:` + secretParts + `)[\w.-]*|\b(?:` + secretWords +
	`))\\?"?\s*[:=]\s*(?:(?:Bearer|Basic|Token|Digest)\s+)?)(\\"(?:[^"\\]|\\\\.)*(?:\\")?|"(?:[^"\\]|\\.)*"?|[^\s,;&}"<]+)`)

var inURL = lazyregexp.New(`[a-zA-Z][a-zA-Z0-9+.-]*://[^\s"'<>\\]+`)

// Mask masks secrets, fields with secret names, and URLs in a text.
func Mask(s string, secrets []Secret) string {
	s = inURL.ReplaceAllStringFunc(MaskValues(s, secrets),
		func(address string) string { return text.DiscreetURL(address) })
	return inField.ReplaceAllString(s, "${1}"+Masked)
}

// MaskValues masks secrets in a text, also encoded for URLs, JSON, HTML and base64.
func MaskValues(text string, secrets []Secret) string {
	type form struct{ text, to string }
	var forms []form
	for _, s := range secrets {
		if s.text == "" || len(s.text) > len(text) {
			continue
		}
		for _, as := range spellings(s.text) {
			f := form{as, Masked}
			if s.of != "" {
				f = form{s.of + "=" + as, s.of + "=" + Masked}
			}
			if strings.Contains(text, f.text) {
				forms = append(forms, f)
			}
		}
	}
	// longest first, as one may contain another
	slices.SortFunc(forms, func(a, b form) int { return cmp.Compare(len(b.text), len(a.text)) })
	for _, f := range forms {
		text = strings.ReplaceAll(text, f.text, f.to)
	}
	return text
}

func spellings(text string) (all []string) {
	add := func(as string) {
		if as != "" && !slices.Contains(all, as) {
			all = append(all, as)
		}
	}
	add(text)
	for _, as := range []string{url.QueryEscape(text), url.PathEscape(text)} {
		add(as)
		add(lowerHex.ReplaceAllStringFunc(as, strings.ToLower))
		add(url.QueryEscape(as)) // in the query of another URL
	}
	add(string(putString(nil, text)))
	if quoted, err := json.Marshal(text); err == nil {
		add(string(quoted[1 : len(quoted)-1]))
	}
	add(html.EscapeString(text))
	if len(text) >= shortest {
		add(base64.StdEncoding.EncodeToString([]byte(text)))
		add(base64.RawStdEncoding.EncodeToString([]byte(text)))
		add(base64.URLEncoding.EncodeToString([]byte(text)))
		add(base64.RawURLEncoding.EncodeToString([]byte(text)))
	}
	return all
}

var lowerHex = lazyregexp.New(`%[0-9A-F]{2}`)

// MaskCut masks the end of a text that was cut within a secret.
func MaskCut(text string, secrets []Secret) string {
	for _, s := range secrets {
		for _, as := range spellings(s.text) {
			for n := min(len(as)-1, len(text)); n >= shortest; n-- {
				if strings.HasSuffix(text, as[:n]) {
					text = text[:len(text)-n] + Masked
					break
				}
			}
		}
	}
	return text
}
