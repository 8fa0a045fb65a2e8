package registry_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/poolbench/poolbench/internal/registry"
)

func TestAllIsInTheOrderOfNames(t *testing.T) {
	s := registry.Set[int]{Kind: "number"}
	for i, name := range []string{"one", "two", "three", "b2_c3", "a"} {
		if got := s.Add(name, i); got != i {
			t.Errorf("Add returned %d, not the value %d", got, i)
		}
	}
	if got, want := s.Names(),
		[]string{"a", "b2_c3", "one", "three", "two"}; !slices.Equal(got, want) {
		t.Errorf("names %v, want %v", got, want)
	}
	if got, want := s.All(), []int{4, 3, 0, 2, 1}; !slices.Equal(got, want) {
		t.Errorf("values %v, want %v", got, want)
	}
}

func TestOthers(t *testing.T) {
	s := registry.Set[int]{Kind: "number"}
	s.AddOther("b", 1)
	s.Add("z", 2)
	s.AddOther("a", 3)
	s.Add("y", 4)
	if got, want := s.All(), []int{4, 2, 3, 1}; !slices.Equal(got, want) {
		t.Errorf("values %v, want %v", got, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a second one of the same name was taken")
		}
	}()
	s.AddOther("z", 5)
}

func TestAllIsTheCallers(t *testing.T) {
	s := registry.Set[int]{Kind: "number"}
	s.Add("one", 1)
	s.All()[0] = 7
	s.Names()[0] = "seven"
	if v, err := s.Lookup("one"); v != 1 || err != nil || s.All()[0] != 1 {
		t.Errorf("writing to what All and Names returned changed the set: %v, %v", v, err)
	}
}

func TestLookup(t *testing.T) {
	s := registry.Set[string]{Kind: "strategy"}
	s.Add("semaphore", "S")
	s.Add("errgroup_limit", "E")
	if v, err := s.Lookup("semaphore"); v != "S" || err != nil {
		t.Errorf("Lookup: %q, %v", v, err)
	}
	v, err := s.Lookup("sema")
	if want := `unknown strategy "sema" (known: errgroup_limit, semaphore)`; v != "" ||
		err == nil || err.Error() != want {
		t.Errorf("unknown: %q, %v; want the error %s", v, err, want)
	}
}

func TestAddPanics(t *testing.T) {
	for name, want := range map[string]string{
		"worker-pool": `strategy name "worker-pool" is not lower_snake`,
		"":            `strategy name "" is not lower_snake`,
		"Serial":      "is not lower_snake",
		"a__b":        "is not lower_snake",
		"a_":          "is not lower_snake",
		"_a":          "is not lower_snake",
		"2pools":      "is not lower_snake",
		"a\n":         "is not lower_snake",
		"a b":         "is not lower_snake",
		"taken":       `two strategy parts are named "taken"`,
	} {
		s := registry.Set[int]{Kind: "strategy"}
		s.Add("taken", 1)
		func() {
			defer func() {
				if p, _ := recover().(string); !strings.Contains(p, want) {
					t.Errorf("Add(%q) panicked with %q, want %q", name, p, want)
				}
			}()
			s.Add(name, 2)
		}()
		if got := s.All(); len(got) != 1 || got[0] != 1 {
			t.Errorf("after Add(%q) the set holds %v", name, got)
		}
	}
}
