package requests

import (
	"net/http"
	"testing"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// Tokens in the path of a URL must be masked in answers, but ordinary ids must not.
func TestTokensInPaths(t *testing.T) {
	const token, other = "aB3dE5gH7jK9mN1pQ3sT5vW7", "Zy9xW8vU7tS6rQ5pO4nM3lK2"
	all := SecretsOf(vegeta.Target{URL: "http://h/services/T0/" + token + "?a=",
		Header: http.Header{"Referer": {"http://h/users/1234/" + other}}}, nil)
	in := "no " + token + " of T0 at services, " + other + " of users 1234"
	if got := MaskValues(in, all); got != "no … of T0 at services, … of users 1234" {
		t.Error(got)
	}
}
