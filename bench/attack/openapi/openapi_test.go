package openapi_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"github.com/poolbench/poolbench/bench/attack/openapi"
)

const document = `openapi: 3.0.3
info: {title: pets, version: "1"}
servers:
- url: https://{stage}.example/v1/
  variables: {stage: {default: test}}
paths:
  /pets/{id}:
    parameters:
    - {name: id, in: path, required: true, schema: {type: integer, minimum: 7}}
    - {name: X-Trace, in: header, required: true, schema: {type: string}, example: on}
    get:
      parameters:
      - {name: view, in: query, required: true, schema: {type: string, enum: [full, brief]}}
      - {name: page, in: query, schema: {type: integer}}
      responses: {"200": {description: a pet}}
    delete:
      deprecated: true
      responses: {"204": {description: gone}}
    put:
      parameters:
      - {name: id, in: path, required: true, schema: {type: string}, example: "a/b {{seq}}"}
      requestBody:
        content:
          application/json:
            schema: {$ref: "#/components/schemas/Pet"}
      responses: {"200": {description: a pet}}
  /pets:
    post:
      requestBody:
        content:
          text/plain: {example: no}
          application/json:
            examples: {b: {value: {name: Bo}}, a: {value: {name: Ann, tags: [x]}}}
      responses: {"201": {description: made}}
    get:
      parameters:
      - {name: sid, in: cookie, required: true, schema: {type: string, format: uuid}}
      responses: {"200": {description: pets}}
    delete:
      responses: {"204": {description: none is left}}
components:
  schemas:
    Pet:
      type: object
      properties:
        id: {type: integer, readOnly: true}
        name: {type: string, example: Łoś}
        born: {type: string, format: date}
        tags: {type: array, items: {type: string, default: wild}}
        parent: {$ref: "#/components/schemas/Pet"}
`

// TestDelete: nothing is deleted unless that is asked for.
func TestDelete(t *testing.T) {
	all, err := openapi.Read([]byte(document), "http://h", "")
	if err != nil || slices.ContainsFunc(all, func(r vegeta.Target) bool {
		return r.Method == "DELETE"
	}) {
		t.Errorf("%v, %v", all, err)
	}
	all, err = openapi.Read([]byte(document), "http://h", "DELETE")
	if err != nil || len(all) != 1 || all[0].Method != "DELETE" || all[0].URL != "http://h/pets" {
		t.Errorf("%v, %v", all, err)
	}
}

// TestRead: a request of each operation that is not deprecated, of its examples.
func TestRead(t *testing.T) {
	got, err := openapi.Read([]byte(document), "", "")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"GET https://test.example/v1/pets map[Cookie:[sid={{uuid}}]] ",
		`POST https://test.example/v1/pets map[Content-Type:[application/json]] {"name":"Ann","tags":["x"]}`,
		"GET https://test.example/v1/pets/7?view=full map[X-Trace:[on]] ",
		`PUT https://test.example/v1/pets/a/b {{seq}} map[Content-Type:[application/json] X-Trace:[on]] {`,
	}
	for i, r := range got {
		text := fmt.Sprintf("%s %s %v %s", r.Method, r.URL, r.Header, r.Body)
		if i >= len(want) || !strings.HasPrefix(text, want[i]) || i < 3 && text != want[i] {
			t.Errorf("request %d: got %s", i+1, text)
		}
	}
	if len(got) != len(want) {
		t.Fatalf("%d requests, want %d", len(got), len(want))
	}
	body := string(got[3].Body)
	for _, part := range []string{`"name":"Łoś"`, `"born":"2026-01-31"`, `"tags":["wild"]`} {
		if !strings.Contains(body, part) || strings.Contains(body, `"id"`) {
			t.Errorf("%s is not in %s, or what is read only is", part, body)
		}
	}
	if got, err = openapi.Read([]byte(document), "http://127.0.0.1:1/", "POST"); err != nil ||
		len(got) != 1 || got[0].URL != "http://127.0.0.1:1/pets" {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestMistakes: each says what is wrong, and no other document is read.
func TestMistakes(t *testing.T) {
	paths := "paths: {/a: {get: {responses: {'200': {description: x}}}}}\n"
	head := "openapi: 3.0.0\ninfo: {title: a, version: '1'}\n"
	for text, want := range map[string]string{
		"":                                       "want a document of OpenAPI 3",
		"swagger: '2.0'\n" + paths:               "want a document of OpenAPI 3",
		"openapi: [":                             "yaml",
		head + paths:                             "the document names no server",
		head + "servers: [{url: /v1}]\n" + paths: "the document names no server",
		head + "servers: [{url: 'http://h'}]\npaths: {}\n":                                 "there is no operation",
		head + "servers: [{url: 'http://h'}]\npaths: {'/a/{x}': {get: {responses: {}}}}\n": "GET /a/{x}: the document does not say",
		head + "paths: {/a: {$ref: '/etc/passwd'}}\n":                                      "disallowed external reference",
		head + "paths: {/a: {$ref: 'http://127.0.0.1:1/x.yaml'}}\n":                        "disallowed external reference",
	} {
		if _, err := openapi.Read([]byte(text), "", ""); err == nil ||
			!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
