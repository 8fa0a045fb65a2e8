package requests_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench/attack/requests"
)

func TestHarRead(t *testing.T) {
	got, err := requests.ReadHAR([]byte(`{"log":{"version":"1.2","creator":{"name":"x"},"entries":[
{"startedDateTime":"2026-01-01T00:00:00Z","request":{"method":"GET","url":"https://h/a?x=1",
 "httpVersion":"HTTP/2","headers":[{"name":":authority","value":"h"},{"name":"Accept","value":"a"},
 {"name":"Accept","value":"b"},{"name":"connection","value":"close"},{"name":"Host","value":"h"}],
 "cookies":[{"name":"s","value":"1"},{"name":"t","value":"2"}]}},
{"request":{"method":"GET","url":"data:image/png;base64,xx"}},
{"request":{"method":"POST","url":"http://h/b","headers":[{"name":"Cookie","value":"u=3"}],
 "cookies":[{"name":"s","value":"1"}],"postData":{"mimeType":"application/json","text":"{\"a\":1}"}}},
{"request":{"method":"PUT","url":"http://h/c","postData":{"mimeType":"application/x-www-form-urlencoded",
 "params":[{"name":"p","value":"a b"},{"name":"q","value":"&"}]}}}]}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"GET https://h/a?x=1 map[Accept:[a b] Cookie:[s=1; t=2]] ",
		`POST http://h/b map[Content-Type:[application/json] Cookie:[u=3]] {"a":1}`,
		"PUT http://h/c map[Content-Type:[application/x-www-form-urlencoded]] p=a+b&q=%26",
	}
	for i, r := range got {
		if text := fmt.Sprintf("%s %s %v %s", r.Method, r.URL, r.Header, r.Body); text != want[i] {
			t.Errorf("request %d:\n got %s\nwant %s", i+1, text, want[i])
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d requests, want %d", len(got), len(want))
	}
}

func TestHarMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"{\"log\":\n{\"entries\":[}": "line 2: invalid character '}'",
		`{"log":{"entries":{}}}`:     "log.entries is no array",
		`{}`:                         "it contains no HTTP request",
		`{"log":{"entries":[{"request":{"url":"ws://h/"}}]}}`:   "it contains no HTTP request",
		`{"log":{"entries":[{"request":{"url":"http://h/"}}]}}`: "entry 1: it has no method",
	} {
		if _, err := requests.ReadHAR([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
