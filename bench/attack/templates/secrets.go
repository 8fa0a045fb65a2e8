package templates

import (
	"cmp"
	"encoding/base64"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// Masked stands in the place of a secret.
const Masked = "…"

// SecretsOf are the values of a request that are to be shown nowhere: of headers by whose names
// they are secrets.
func SecretsOf(r vegeta.Target) (all []string) {
	for name, values := range r.Header {
		if IsSecret(name) {
			for _, v := range values {
				all = append(all, secretsOf(v)...)
			}
		}
	}
	return all
}

// secretsOf are the value of a header and what is in it: the credentials behind a scheme, the user
// and the password of Basic, the values of cookies.
func secretsOf(value string) (all []string) {
	all = append(all, value)
	scheme, rest, ok := strings.Cut(value, " ")
	if rest = strings.TrimSpace(rest); ok {
		all = append(all, rest)
	}
	if strings.EqualFold(scheme, "basic") {
		if text, err := base64.StdEncoding.DecodeString(rest); err == nil {
			_, password, _ := strings.Cut(string(text), ":")
			all = append(all, string(text), password)
		}
	}
	if cookies, err := http.ParseCookie(value); err == nil {
		for _, c := range cookies {
			all = append(all, c.Value)
		}
	}
	return all
}

// Secrets are those of request number seq. What was captured is one in any case.
func (r *Request) Secrets(seed, seq uint64, captured ...Value) []string {
	f := r.filling(seed, seq, captured)
	all := slices.Clone(r.static)
	for _, v := range captured {
		all = append(all, v.Text)
	}
	for _, c := range r.secrets {
		all = append(all, f.row[c].Text)
	}
	for i := range r.headers {
		if h := &r.headers[i]; !h.static() && IsSecret(h.name) {
			if value, err := h.value(&f, nil); err == nil {
				all = append(all, secretsOf(string(value))...)
			}
		}
	}
	return all
}

// Shown is the URL of request number seq, without the values of columns that are secrets and of
// what is captured.
func (r *Request) Shown(seed, seq uint64) string {
	f := r.filling(seed, seq, r.step.placeholders("MASKED"))
	if len(r.secrets) > 0 {
		f.row = slices.Clone(f.row)
		for _, c := range r.secrets {
			f.row[c] = Value{Text: "MASKED"} // which no position changes
		}
	}
	text, err := r.urlOf(&f)
	if err != nil {
		return Masked
	}
	return text
}

// inField is the value of a field of JSON or of a form, or of a header, whose name says that it is
// secret.
var inField = regexp.MustCompile(`(?i)("?[\w.-]*(?:pass|pwd|secret|token|key|auth|credential|cookie|` +
	`session)[\w.-]*"?\s*[:=]\s*)("(?:[^"\\]|\\.)*"?|[^\s,;&}"<]+)`)

// Mask takes the secrets out of a text, and the values of fields that are named as such.
func Mask(text string, secrets []string) string {
	return inField.ReplaceAllString(MaskValues(text, secrets), "${1}"+Masked)
}

// MaskValues takes the secrets out of a text, also as they are written in URLs and in JSON.
func MaskValues(text string, secrets []string) string {
	var forms []string
	for _, s := range secrets {
		if s != "" {
			forms = append(forms, s, url.QueryEscape(s), url.PathEscape(s),
				string(putString(nil, s)))
		}
	}
	// the longest first: one may be in another
	slices.SortFunc(forms, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
	for _, s := range slices.Compact(forms) {
		text = strings.ReplaceAll(text, s, Masked)
	}
	return text
}
