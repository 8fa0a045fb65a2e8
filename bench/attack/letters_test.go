package attack_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/strategies"
)

func TestDeadLetters(t *testing.T) {
	var letters strategies.DeadLetterList
	requests := []attack.Request{{Method: "GET", URL: "http://u:p@server/good"},
		{Method: "POST", URL: "http://u:p@server/bad"}}
	report := inBubble(t, attack.Attack{Requests: requests, Rate: 100, Tasks: 10, Limit: 4,
		Strategy: strategy(t, "retry_queue:attempts=2,jitter=none"), DeadLetters: &letters},
		func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/bad" {
				w.WriteHeader(http.StatusTooManyRequests)
			}
		})
	if got := metric(t, report, "throttled/op"); got != 0.5 || len(letters.All()) != 5 {
		t.Fatalf("%v throttled, letters %v", got, letters.All())
	}
	for i, l := range letters.All() {
		text, err := json.Marshal(l)
		want := fmt.Sprintf(`"task":{"seq":%d,"method":"POST","url":"http://server/bad",`+
			`"status":429},"attempts":2,"error":"refused by the server"}`, 2*i+1)
		if err != nil || !strings.HasSuffix(string(text), want) {
			t.Errorf("letter %d: %s, %v; want %s", i, text, err, want)
		}
	}
	err := attack.Attack{Requests: requests, Tasks: 1, DeadLetters: &letters}.Validate()
	if err == nil || !strings.Contains(err.Error(), "dead-letters: want a strategy that retries") {
		t.Errorf("without a strategy: %v", err)
	}
}
