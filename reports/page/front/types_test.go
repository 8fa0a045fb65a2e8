package front

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

func TestTypes(t *testing.T) {
	text, err := os.ReadFile("types.ts")
	if err != nil {
		t.Fatal(err)
	}
	interfaces := regexp.MustCompile(`(?s)export interface (\w+) \{\n(.*?)\n\}`)
	got := make(map[string]string)
	for _, m := range interfaces.FindAllStringSubmatch(string(text), -1) {
		got[m[1]] = m[2]
	}
	want := make(map[string]string)
	describe(reflect.TypeFor[Data](), want)
	if len(want) != 8 || len(got) != len(want) {
		t.Errorf("%d types here, %d in types.ts, want 8", len(want), len(got))
	}
	for name := range want {
		if got[name] != want[name] {
			t.Errorf("%s is in types.ts\n%s\nand in data.go\n%s", name, got[name], want[name])
		}
	}
}

func describe(typ reflect.Type, into map[string]string) {
	var lines []string
	for i := range typ.NumField() {
		f := typ.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if options == "omitempty" {
			name += "?"
		}
		lines = append(lines, fmt.Sprintf("  %s: %s;", name, typescript(f.Type, into)))
	}
	into[typ.Name()] = strings.Join(lines, "\n")
}

func typescript(typ reflect.Type, into map[string]string) string {
	switch typ.Kind() {
	case reflect.Slice:
		return typescript(typ.Elem(), into) + "[]"
	case reflect.Array:
		parts := make([]string, typ.Len())
		for i := range parts {
			parts[i] = typescript(typ.Elem(), into)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case reflect.Struct:
		describe(typ, into)
		return typ.Name()
	case reflect.Bool:
		return "boolean"
	case reflect.String:
		return "string"
	}
	return "number"
}

func TestNoNull(t *testing.T) {
	text, err := json.Marshal((&Data{}).withoutNil())
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "null") {
		t.Errorf("%s", text)
	}
}

func TestClassLabels(t *testing.T) {
	read := func(name, pattern string) [][]string {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return regexp.MustCompile(pattern).FindAllStringSubmatch(string(text), -1)
	}
	most := read("dom.ts", `brief\(text: string, most = (\d+)\)`)
	labels := read("classes.ts", "return `\\$\\{who.length\\}([^`]*)`")
	if len(most) != 1 || len(labels) != 2 {
		t.Fatalf("dom.ts has %q, classes.ts %q", most, labels)
	}
	for _, l := range labels {
		label := "10" + strings.NewReplacer(`${sheds ? "shedding " : ""}`, "shedding ", "${where}",
			"").Replace(l[1])
		if shown, err := strconv.Atoi(most[0][1]); err != nil || len(label) > shown {
			t.Errorf("%q has %d letters, and %s are shown", label, len(label), most[0][1])
		}
	}
}
