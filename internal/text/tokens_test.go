package text

import "testing"

func TestTokensInPaths(t *testing.T) {
	const (
		webhook = "aB3dE5gH7jK9mN1pQ3sT5vW7"
		signed  = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
	)
	for address, want := range map[string]string{
		"http://x/reset/" + signed:                       "http://x/reset/…",
		"https://x:1/services/T0/B0/" + webhook + "?a=1": "https://x:1/services/T0/B0/…?a=…",
		"/hook/" + webhook + "/end":                      "/hook/…/end",
		"http://x/{{token}}/" + webhook:                  "http://x/{{token}}/…",
	} {
		if got := DiscreetURL(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
	for _, address := range []string{
		"http://x/users/12345678901234567890123",
		"http://x/0b8f3c1e-5d2a-4c7b-9e6f-1a2b3c4d5e6f",
		"http://x/0B8F3C1E-5D2A-4C7B-9E6F-1A2B3C4D5E6F",
		"http://x/da39a3ee5e6b4b0d3255bfef95601890afd80709",
		"http://x/01ARZ3NDEKTSV4RRFFQ69G5FAV",
		"http://x/orders.v1.Orders/GetOrdersByAccountNumberV2",
		"http://x/a-long-title-of-an-article-of-2024",
		"http://x/{{orderOfCustomer2}}/{{seq}}",
		"http://aB3dE5gH7jK9mN1pQ3sT5vW7.example/x",
	} {
		if got := DiscreetURL(address); got != address {
			t.Errorf("%s: %s", address, got)
		}
	}
}
