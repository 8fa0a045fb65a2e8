package house_test

import (
	"go/ast"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A folder has one kind of things. These have variants: each file registers what it is named for,
// and what they share are the files that are listed. No other folder has a file that registers.
var variants = map[string][]string{
	"strategies/builtin": {},
	"strategies/peers":   {"peers", "limiter"},
	"strategies/durable": {"durable", "health", "blocks", "servers", "postgres", "postgres_left",
		"redis", "rabbitmq_consume", "rabbitmq_message", "rabbitmq_session",
		"redis_stream_message"},
	"workloads": {"workload", "variant", "counted", "func", "wait", "waitwatch", "tracefile",
		"retryafter", "http_own", "labels", "tracelabels"},
	"workloads/regex": {},
	"workloads/rpc":   {},
	"workloads/sql":   {"postgres", "sqlite"},
	"targets": {"target", "variant", "counts", "func", "handler", "policy", "quota", "server",
		"tenanted", "wait", "window"},
	"bench/arrivals": {"arrival", "bounds", "modulated"},
	// whose files also are of what a study is made of: its judge, its charts
	"internal/studies": {"study", "parts", "durability_draw", "durability_judge",
		"eventloop_real", "retry_judge", "retry_poison", "variance_answer", "variance_capacity",
		"variance_cost", "variance_held", "variance_load", "variance_machine", "variance_quantum",
		"variance_shed"},
}

// registers are the functions by which a variant is known.
var registers = []string{"register", "Register", "RegisterBuiltin"}

// What is not Go lies beside it only where it is embedded: a page's components, style and script.
var embedded = map[string][]string{
	"internal/cli/live":  {".css", ".js", ".templ", ".ts"},
	"reports/advice":     {".json", ".templ"},
	"reports/compare":    {".css", ".templ"},
	"reports/gate":       {".css", ".templ"},
	"reports/page":       {".js", ".templ"},
	"reports/page/front": {".css", ".js", ".json", ".templ", ".ts"},
	"reports/page/shell": {".css", ".templ"},
	"reports/proof":      {".templ"},
	"reports/trend":      {".templ"},
}

// TestKinds: no folder mixes two kinds of things.
func TestKinds(t *testing.T) {
	for _, p := range packages(t) {
		folder := strings.TrimPrefix(p.ImportPath, module+"/")
		shared, of := variants[folder]
		shared = slices.Concat(shared, []string{"doc"})
		_, files := sources(t, p)
		for i, f := range files {
			name := strings.TrimSuffix(p.GoFiles[i], ".go")
			isShared := slices.Contains(shared, name)
			switch n := registered(f); {
			case !of && n > 0:
				t.Errorf("%s/%s.go registers a variant, in a folder that has none", folder, name)
			case of && n == 0 && !isShared:
				t.Errorf("%s/%s.go registers nothing, in a folder of variants", folder, name)
			case of && n > 0 && isShared:
				t.Errorf("%s/%s.go registers a variant, and is listed as what they share",
					folder, name)
			}
		}
		if p.ImportPath == module {
			continue // the files of a repository are beside it
		}
		found, err := filepath.Glob(filepath.Join(p.Dir, "*.*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range found {
			if ext := filepath.Ext(path); ext != ".go" && !slices.Contains(embedded[folder], ext) {
				t.Errorf("%s has %s beside Go", folder, filepath.Base(path))
			}
		}
	}
}

// registered counts the variables of a file that are what a variant is registered as.
func registered(f *ast.File) (n int) {
	for _, d := range f.Decls {
		g, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range g.Specs {
			v, ok := s.(*ast.ValueSpec)
			if !ok || len(v.Values) != 1 {
				continue
			}
			call, ok := v.Values[0].(*ast.CallExpr)
			if !ok {
				continue
			}
			switch fun := call.Fun.(type) {
			case *ast.Ident:
				if slices.Contains(registers, fun.Name) {
					n++
				}
			case *ast.SelectorExpr:
				if slices.Contains(registers, fun.Sel.Name) {
					n++
				}
			}
		}
	}
	return n
}
