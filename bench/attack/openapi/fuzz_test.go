package openapi_test

import (
	"strings"
	"testing"

	"github.com/poolbench/poolbench/bench/attack/openapi"
)

// FuzzRead: no document makes it fail in another way than by an error of one line, and what is read
// can be sent.
func FuzzRead(f *testing.F) {
	f.Add(document)
	f.Add("openapi: 3.1.0\ninfo: {title: a, version: '1'}\nservers: [{url: 'http://h'}]\n" +
		"paths: {/a: {post: {requestBody: {content: {application/json: {schema: " +
		"{allOf: [{$ref: '#/components/schemas/A'}]}}}}, responses: {}}}}\n" +
		"components: {schemas: {A: {allOf: [{$ref: '#/components/schemas/A'}]}}}\n")
	f.Add("openapi: 3.0.0\nservers:\n-")
	f.Fuzz(func(t *testing.T, text string) {
		all, err := openapi.Read([]byte(text), "", "")
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Fatalf("%q: %v", text, err)
		}
		for _, r := range all {
			if err == nil && (r.Method == "" || !strings.Contains(r.URL, "://")) {
				t.Fatalf("%q: %+v", text, r)
			}
		}
	})
}
