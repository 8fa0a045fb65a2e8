// Package openapi makes a request of each operation in an OpenAPI document, of its examples.
package openapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// Read reads a document of version 3, in YAML or JSON, which may refer to no other. base is used
// instead of the server that it names; "": it names one. Of several methods only that one is taken;
// "": all but DELETE, so that a load takes nothing away that nobody named. Operations that are
// deprecated are left out.
//
// A parameter has its example, or else the first of its examples, its default, the first value of
// its enumeration, or a value of its type; of those that are not in the path, only what is required
// is sent. A body has the example of its content, or one made of its schema in the same way.
func Read(text []byte, base, method string) (all []vegeta.Target, err error) {
	doc, err := parse(text)
	if err != nil {
		return nil, inOneLine(err)
	}
	return doc.requests(base, method)
}

func (d *document) requests(base, method string) (all []vegeta.Target, err error) {
	root := d.mapping("the document", d.root)
	version := text(root["openapi"])
	if d.wrong != nil {
		return nil, d.wrong
	}
	if version != "3" && !strings.HasPrefix(version, "3.") { // YAML takes 3.0 for a number
		return nil, fmt.Errorf("want a document of OpenAPI 3, got openapi: %q", version)
	}
	if base == "" {
		if base, err = d.server(d.list("servers", root["servers"])); err != nil {
			return nil, err
		}
	}
	paths := d.mapping("paths", root["paths"])
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if strings.HasPrefix(path, "x-") {
			continue
		}
		item := d.mapping(path, paths[path])
		operations := d.operations(item)
		for _, m := range slices.Sorted(maps.Keys(operations)) {
			o := d.mapping(m, operations[m])
			taken := m == method || method == "" && m != http.MethodDelete
			if o == nil || d.is("deprecated", o["deprecated"]) || !taken {
				continue
			}
			r, err := d.request(strings.TrimSuffix(base, "/"), path, m, item, o)
			if err = cmp.Or(d.complaint(), err); err != nil {
				return nil, fmt.Errorf("%s %s: %w", m, path, err)
			}
			all = append(all, r)
		}
	}
	if d.wrong == nil && len(all) == 0 {
		return nil, errors.New("there is no operation to be called in it")
	}
	return all, d.wrong
}

// operations are those of a path by their methods.
func (d *document) operations(item mapping) mapping {
	all := mapping{}
	maps.Copy(all, d.mapping("additionalOperations", item["additionalOperations"]))
	for _, name := range []string{"connect", "delete", "get", "head", "options", "patch", "post",
		"put", "query", "trace"} {
		if o := item[name]; o != nil {
			all[strings.ToUpper(name)] = o
		}
	}
	return all
}

// server is the first, with the defaults of its variables.
func (d *document) server(all []any) (address string, err error) {
	if len(all) > 0 {
		first := d.mapping("servers", all[0])
		address = d.word("url", first["url"])
		for name, v := range d.mapping("variables", first["variables"]) {
			if v := d.mapping(name, v); v != nil {
				address = strings.ReplaceAll(address, "{"+name+"}",
					d.word("default", v["default"]))
			}
		}
	}
	if d.wrong == nil && !strings.Contains(address, "://") {
		return "", errors.New("the document names no server: give its URL")
	}
	return address, d.wrong
}

func (d *document) request(
	base, path, method string, item, o mapping,
) (r vegeta.Target, err error) {
	r = vegeta.Target{Method: method, Header: http.Header{}}
	query := url.Values{}
	var cookies []string
	for _, p := range d.parameters(item, o) {
		in, name := d.word("in", p["in"]), d.word("name", p["name"])
		if !d.is("required", p["required"]) && in != "path" {
			continue
		}
		value := text(d.exampleOf(p))
		switch in {
		case "path":
			if !strings.Contains(value, "{{") { // which is to be filled in
				value = url.PathEscape(value)
			}
			path = strings.ReplaceAll(path, "{"+name+"}", value)
		case "query":
			query.Add(name, value)
		case "header":
			r.Header.Add(name, value)
		case "cookie":
			cookies = append(cookies, name+"="+value)
		}
	}
	if left := strings.IndexByte(strings.ReplaceAll(path, "{{", ""), '{'); left >= 0 {
		return r, errors.New("the document does not say what is in the braces")
	}
	if r.URL = base + path; len(query) > 0 {
		r.URL += "?" + query.Encode()
	}
	if len(cookies) > 0 {
		r.Header.Set("Cookie", strings.Join(cookies, "; "))
	}
	sent := d.mapping("requestBody", o["requestBody"])
	r.Body, err = d.body(d.mapping("content", sent["content"]), r.Header)
	return r, err
}

// parameters are those of an operation, and those of its path that it has not of its own.
func (d *document) parameters(item, o mapping) (all []mapping) {
	own := 0
	for _, of := range []mapping{o, item} {
		for _, given := range d.list("parameters", of["parameters"]) {
			p := d.mapping("parameters", given)
			same := func(q mapping) bool {
				return text(p["in"]) == text(q["in"]) && text(p["name"]) == text(q["name"])
			}
			if p != nil && !slices.ContainsFunc(all[:own], same) {
				all = append(all, p)
			}
		}
		own = len(all)
	}
	return all
}

func (d *document) body(content mapping, header http.Header) ([]byte, error) {
	kinds := slices.Sorted(maps.Keys(content))
	if len(kinds) == 0 {
		return nil, nil
	}
	kind := kinds[0]
	isJSON := func(kind string) bool { return strings.Contains(kind, "json") }
	if at := slices.IndexFunc(kinds, isJSON); at >= 0 {
		kind = kinds[at]
	}
	header.Set("Content-Type", kind)
	sent := d.exampleOf(d.mapping(kind, content[kind]))
	switch {
	case sent == nil:
		return nil, nil
	case isJSON(kind):
		return json.Marshal(sent)
	case strings.Contains(kind, "x-www-form-urlencoded"):
		fields, _ := sent.(map[string]any)
		form := url.Values{}
		for name, v := range fields {
			form.Set(name, text(v))
		}
		return []byte(form.Encode()), nil
	}
	if s, ok := sent.(string); ok {
		return []byte(s), nil
	}
	return nil, fmt.Errorf("a body of %s has no example that is a text", kind)
}

// exampleOf is the one that a parameter or a content has, the first of all by name, or one of its
// schema.
func (d *document) exampleOf(of mapping) any {
	if given := of["example"]; given != nil {
		return given
	}
	all := d.mapping("examples", of["examples"])
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if e := d.mapping(name, all[name]); e["value"] != nil {
			return e["value"]
		}
	}
	return d.example(of["schema"], 0, new(int))
}

// deepest is how far down a schema is followed, and most how many values are made of one: it may be
// in itself, more than once.
const (
	deepest = 6
	most    = 10_000
)

// example is a value that the schema allows, as far as that is plain to see.
func (d *document) example(schema any, depth int, made *int) any {
	if *made++; depth > deepest || *made > most {
		return nil
	}
	if schema = d.follow(schema); schema == nil || schema == true || schema == false {
		return nil
	}
	s := d.mapping("schema", schema)
	part := func(of any) any { return d.example(of, depth+1, made) }
	for _, given := range []string{"example", "default"} {
		if v := s[given]; v != nil {
			return v
		}
	}
	if one := d.list("enum", s["enum"]); len(one) > 0 {
		return one[0]
	}
	if parts := d.list("allOf", s["allOf"]); len(parts) > 0 {
		all := mapping{}
		for _, p := range parts {
			v := part(p)
			fields, ok := v.(mapping)
			if !ok {
				return v
			}
			maps.Copy(all, fields)
		}
		return all
	}
	for _, either := range []string{"oneOf", "anyOf"} {
		if one := d.list(either, s[either]); len(one) > 0 {
			return part(one[0])
		}
	}
	kind, properties := kindOf(s["type"]), d.mapping("properties", s["properties"])
	switch {
	case kind == "object" || len(properties) > 0:
		all := mapping{}
		for name, p := range properties {
			if v := part(p); v != nil && !d.readOnly(p) {
				all[name] = v
			}
		}
		return all
	case kind == "array":
		if v := part(s["items"]); v != nil {
			return []any{v}
		}
		return []any{}
	case kind == "integer", kind == "number":
		if least := s["minimum"]; least != nil {
			return least
		}
		return 1
	case kind == "boolean":
		return true
	}
	return stringOf(d.word("format", s["format"]))
}

func (d *document) readOnly(property any) bool {
	return d.is("readOnly", d.mapping("schema", property)["readOnly"])
}

// kindOf is a schema's type, or the first of its types that is not null.
func kindOf(given any) string {
	several, ok := given.([]any)
	if !ok {
		return text(given)
	}
	for _, kind := range several {
		if kind != "null" {
			return text(kind)
		}
	}
	return ""
}

// stringOf is one of that format.
func stringOf(format string) string {
	switch format {
	case "date":
		return "2026-01-31"
	case "date-time":
		return "2026-01-31T12:00:00Z"
	case "uuid":
		return "{{uuid}}"
	case "email":
		return "ann@example.com"
	case "uri":
		return "http://example.com/"
	}
	return "text"
}
