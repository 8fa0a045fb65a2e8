// Package openapi makes a request of each operation in an OpenAPI document, of its examples.
package openapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/getkin/kin-openapi/openapi3"
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
	loader := openapi3.NewLoader() // which reads no other document unless it is told to
	doc, err := loader.LoadFromData(text)
	if err != nil {
		return nil, errors.New(strings.Join(strings.Fields(err.Error()), " "))
	}
	if !strings.HasPrefix(doc.OpenAPI, "3.") {
		return nil, fmt.Errorf("want a document of OpenAPI 3, got openapi: %q", doc.OpenAPI)
	}
	if base == "" {
		if base, err = server(doc.Servers); err != nil {
			return nil, err
		}
	}
	paths := doc.Paths.Map()
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		item := paths[path]
		if item == nil {
			continue
		}
		operations := item.Operations()
		for _, m := range slices.Sorted(maps.Keys(operations)) {
			o := operations[m]
			taken := m == method || method == "" && m != http.MethodDelete
			if o == nil || o.Deprecated || !taken {
				continue
			}
			r, err := request(strings.TrimSuffix(base, "/"), path, m, item, o)
			if err != nil {
				return nil, fmt.Errorf("%s %s: %w", m, path, err)
			}
			all = append(all, r)
		}
	}
	if len(all) == 0 {
		return nil, errors.New("there is no operation to be called in it")
	}
	return all, nil
}

// server is the first, with the defaults of its variables.
func server(all openapi3.Servers) (string, error) {
	if len(all) == 0 || all[0] == nil || !strings.Contains(all[0].URL, "://") {
		return "", errors.New("the document names no server: give its URL")
	}
	address := all[0].URL
	for name, v := range all[0].Variables {
		if v == nil {
			continue
		}
		address = strings.ReplaceAll(address, "{"+name+"}", v.Default)
	}
	return address, nil
}

func request(
	base, path, method string, item *openapi3.PathItem, o *openapi3.Operation,
) (r vegeta.Target, err error) {
	r = vegeta.Target{Method: method, Header: http.Header{}}
	query := url.Values{}
	var cookies []string
	own := there(o.Parameters)
	for _, ref := range slices.Concat(own, overridden(there(item.Parameters), own)) {
		p := ref.Value
		if !p.Required && p.In != openapi3.ParameterInPath {
			continue
		}
		value := text(exampleOf(p.Example, p.Examples, p.Schema))
		switch p.In {
		case openapi3.ParameterInPath:
			if !strings.Contains(value, "{{") { // which is to be filled in
				value = url.PathEscape(value)
			}
			path = strings.ReplaceAll(path, "{"+p.Name+"}", value)
		case openapi3.ParameterInQuery:
			query.Add(p.Name, value)
		case openapi3.ParameterInHeader:
			r.Header.Add(p.Name, value)
		case openapi3.ParameterInCookie:
			cookies = append(cookies, p.Name+"="+value)
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
	if o.RequestBody != nil && o.RequestBody.Value != nil {
		r.Body, err = body(o.RequestBody.Value.Content, r.Header)
	}
	return r, err
}

// there are those of parameters that the document says something of.
func there(all openapi3.Parameters) openapi3.Parameters {
	return slices.DeleteFunc(slices.Clone(all), func(p *openapi3.ParameterRef) bool {
		return p == nil || p.Value == nil
	})
}

// overridden are the parameters of a path that an operation has not of its own.
func overridden(all, own openapi3.Parameters) (left openapi3.Parameters) {
	for _, p := range all {
		if own.GetByInAndName(p.Value.In, p.Value.Name) == nil {
			left = append(left, p)
		}
	}
	return left
}

func body(content openapi3.Content, header http.Header) ([]byte, error) {
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
	m := content[kind]
	if m == nil {
		return nil, nil
	}
	sent := exampleOf(m.Example, m.Examples, m.Schema)
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

// exampleOf is the one that is given, the first of all by name, or one of the schema.
func exampleOf(given any, all openapi3.Examples, schema *openapi3.SchemaRef) any {
	if given != nil {
		return given
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if e := all[name]; e != nil && e.Value != nil && e.Value.Value != nil {
			return e.Value.Value
		}
	}
	return example(schema, 0, new(int))
}

// deepest is how far down a schema is followed, and most how many values are made of one: it may be
// in itself, more than once.
const (
	deepest = 6
	most    = 10_000
)

// example is a value that the schema allows, as far as that is plain to see.
func example(ref *openapi3.SchemaRef, depth int, made *int) any {
	if *made++; ref == nil || ref.Value == nil || depth > deepest || *made > most {
		return nil
	}
	s := ref.Value
	switch {
	case s.Example != nil:
		return s.Example
	case s.Default != nil:
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(s.AllOf) > 0:
		all := map[string]any{}
		for _, part := range s.AllOf {
			v := example(part, depth+1, made)
			fields, ok := v.(map[string]any)
			if !ok {
				return v
			}
			maps.Copy(all, fields)
		}
		return all
	case len(s.OneOf) > 0:
		return example(s.OneOf[0], depth+1, made)
	case len(s.AnyOf) > 0:
		return example(s.AnyOf[0], depth+1, made)
	case s.Type.Is("object") || len(s.Properties) > 0:
		all := map[string]any{}
		for name, p := range s.Properties {
			if v := example(p, depth+1, made); v != nil && !p.Value.ReadOnly {
				all[name] = v
			}
		}
		return all
	case s.Type.Is("array"):
		if v := example(s.Items, depth+1, made); v != nil {
			return []any{v}
		}
		return []any{}
	case s.Type.Is("integer"), s.Type.Is("number"):
		if s.Min != nil {
			return *s.Min
		}
		return 1
	case s.Type.Is("boolean"):
		return true
	}
	return stringOf(s.Format)
}

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

// text is a value as it stands in a URL or a header.
func text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(b)
}
