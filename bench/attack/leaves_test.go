package attack

import (
	"net/http"
	"net/url"
	"testing"
)

// A redirect from the HTTP port to the HTTPS port of the same host keeps the headers. Any other
// change of host, port or protocol drops them.
func TestLeaves(t *testing.T) {
	for _, c := range []struct {
		urls []string // the last URL is the redirect's
		want bool
	}{
		{[]string{"http://x/", "https://x/"}, false},
		{[]string{"http://x:80/", "https://X:443/a"}, false},
		{[]string{"http://x/", "https://x/", "https://x/a"}, false},
		{[]string{"http://x/", "http://x:80/"}, false},
		{[]string{"http://x/", "https://x:8443/"}, true},
		{[]string{"http://x:8080/", "https://x/"}, true},
		{[]string{"https://x/", "http://x/"}, true},
		{[]string{"http://x/", "https://y/"}, true},
		{[]string{"http://x/", "https://y/", "https://x/"}, true},
	} {
		var all []*http.Request
		for _, text := range c.urls {
			u, err := url.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, &http.Request{URL: u})
		}
		if got := leaves(all[len(all)-1], all[:len(all)-1]); got != c.want {
			t.Errorf("%v: %v, want %v", c.urls, got, c.want)
		}
	}
}
