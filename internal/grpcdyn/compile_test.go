package grpcdyn_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/grpcdyn"
)

// Imports must be found in parent directories. Errors must contain file and line.
func TestReadSet(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("shop/types/item.proto", `syntax = "proto3"; package shop.types;
		import "google/protobuf/timestamp.proto";
		message Item { string name = 1; google.protobuf.Timestamp at = 2; }`)
	path := write("shop/v1/shop.proto", `syntax = "proto3"; package shop.v1;
		import "shop/types/item.proto";
		service Shop {
			rpc Buy(types.Item) returns (types.Item);
			rpc Fill(stream types.Item) returns (types.Item);
		}`)
	set, err := grpcdyn.ReadSet(path)
	if err != nil {
		t.Fatal(err)
	}
	again, err := grpcdyn.ReadSet(write("set.pb", string(set)))
	if err != nil || string(again) != string(set) {
		t.Error("a set does not read back", err)
	}
	find, err := grpcdyn.FromSet(set)
	if err != nil {
		t.Fatal(err)
	}
	m, err := find.Method("/shop.v1.Shop/Buy")
	if err != nil {
		t.Fatal(err)
	}
	bytes, err := m.Encode([]byte(`{"name": "tea", "at": "2020-01-01T00:00:00Z"}`))
	if err != nil {
		t.Fatal(err)
	}
	if text, err := m.Decode(bytes); err != nil || !strings.Contains(string(text), "tea") ||
		!strings.Contains(string(text), "2020-01-01T00:00:00Z") || m.Streams() {
		t.Errorf("%s, %v", text, err)
	}
	if _, err := find.Method("/shop.v1.Shop/Fill"); err == nil ||
		!strings.Contains(err.Error(), "expects a stream") {
		t.Error(err)
	}
	for text, want := range map[string]string{
		"syntax = \"proto3\";\nmesage X {}":                  "bad.proto:2:1: syntax error",
		"syntax = \"proto3\";\nimport \"nowhere.proto\";":    "nowhere.proto",
		"syntax = \"proto3\";\nmessage X { Unknown u = 1; }": "bad.proto:2:13:",
	} {
		if _, err := grpcdyn.ReadSet(write("bad.proto", text)); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if _, err := grpcdyn.ReadSet(write("bad.pb", "x")); err == nil {
		t.Error("this was a set")
	}
}

func TestCutPath(t *testing.T) {
	for path, ok := range map[string]bool{"/a.b.C/D": true, "/C/D": true, "a.C/D": true,
		"/a.C": false, "/": false, "/a.C/D/E": false, "//D": false, "/a b/D": false,
		"/a.C/": false, "/1/D": false} {
		if _, _, err := grpcdyn.CutPath(path); (err == nil) != ok {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// A file that is too long or nested too deeply must be rejected.
func TestBoundedText(t *testing.T) {
	dir := t.TempDir()
	const head = "syntax = \"proto3\";\n"
	cases := map[string]struct{ text, want string }{
		"deep.proto":   {head + strings.Repeat("message A {\n", 2000), "deep.proto:1002: more than"},
		"long.proto":   {head + strings.Repeat(" ", 5<<20), "longer than 4 MiB"},
		"import.proto": {head + `import "deep.proto";`, "more than 1000 brackets are open"},
	}
	for name, c := range cases {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range cases {
		_, err := grpcdyn.ReadSet(filepath.Join(dir, name))
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}
