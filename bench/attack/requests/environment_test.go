package requests_test

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench/attack/requests"
)

func environment() *requests.Environment {
	values := map[string]string{"HOST": "h", "TOKEN": `a"b$HOST`, "EMPTY": "", "LINES": "a\nb"}
	return &requests.Environment{Lookup: func(name string) (string, bool) {
		v, ok := values[name]
		return v, ok
	}}
}

// A value must not be expanded again.
func TestEnvironment(t *testing.T) {
	for text, want := range map[string]string{
		"http://${HOST}/${HOST}": "http://h/h",
		"${TOKEN}":               `a"b$HOST`,
		"<${EMPTY}>":             "<>",
		"$${HOST} $HOST ${} ${1": "${HOST} $HOST ${} ${1",
		"a ${NONE}": "error ${NONE}: this environment variable is not set; the text itself is " +
			"$${NONE}",
		"${LINES}": "error ${LINES}: its value has a line break or another control character",
	} {
		got, err := environment().Expand(text, nil)
		if err != nil {
			got = "error " + err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
	env := environment()
	got, err := env.Expand(`"${TOKEN} ${HOST} ${HOST}"`, strings.ToUpper)
	if err != nil || got != `"A"B$HOST H H"` || len(env.Used) != 2 {
		t.Errorf("%q, %v, used %q", got, err, env.Used)
	}
}

func TestCurlEnvironment(t *testing.T) {
	for text, want := range map[string]string{
		`curl "http://$HOST/${HOST}" -d '${NONE}'`: "http://h/h ${NONE}",
		`curl http://h/ -d "${TOKEN}" -d "$EMPTY"`: `http://h/ a"b$HOST&`,
		"\ncurl http://h/ -d $NONE":                "error line 2: ${NONE}: this environment",
		`curl http://h/ -d "${HOST:-x}"`: "error line 1: variables and commands are " +
			"not expanded",
		`curl http://h/ -d "${#HOST}"`: "error line 1: variables and commands are " +
			"not expanded",
		`curl http://h/ -d "$(id)"`: "error line 1: variables and commands are " +
			"not expanded",
	} {
		all, err := requests.ReadCurl([]byte(text), environment())
		got := ""
		if err != nil {
			got = "error " + err.Error()
		} else {
			got = all[0].URL + " " + string(all[0].Body)
		}
		if !strings.HasPrefix(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
