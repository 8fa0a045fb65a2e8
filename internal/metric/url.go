package metric

import (
	"fmt"
	"net/url"
	"strings"
)

// OfURL returns a prefix, such as url[GET%20/login]-. Characters that would end the name or the
// unit are percent-encoded.
func OfURL(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if c <= ' ' || c >= 0x7f || strings.IndexByte("[]%", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return "url[" + b.String() + "]-"
}

func CutURL(unit string) (name, rest string, ok bool) {
	behind, ok := strings.CutPrefix(unit, "url[")
	if !ok {
		return "", unit, false
	}
	encoded, rest, ok := strings.Cut(behind, "]-")
	if !ok {
		return "", unit, false
	}
	name, err := url.PathUnescape(encoded)
	return name, rest, err == nil
}

const statusPrefix = "status-"

func OfStatus(status string) string {
	return statusPrefix + strings.Join(strings.Fields(status), "_") + "/op"
}

func StatusOf(unit string) (status string, ok bool) {
	rest, ok := strings.CutPrefix(unit, statusPrefix)
	if !ok {
		return "", false
	}
	return strings.CutSuffix(rest, "/op")
}
