package attack_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/requests"
)

// Common fields of Attack and Written must have the same type.
func TestWrittenIsWhole(t *testing.T) {
	given, words := reflect.TypeFor[attack.Attack](), reflect.TypeFor[attack.Encoded]()
	spelt := []string{"Arrival", "Strategy"} // as text
	own := []string{"Before", "Start", "Vegeta", "DeadLetters", "Watch"}
	for _, f := range reflect.VisibleFields(words) {
		of, there := given.FieldByName(f.Name)
		if same := there && of.Type == f.Type; same == slices.Contains(spelt, f.Name) {
			t.Errorf("%s is %v where it is written, and %v in an attack", f.Name, f.Type, of.Type)
		}
	}
	for _, f := range reflect.VisibleFields(given) {
		if _, there := words.FieldByName(f.Name); f.IsExported() &&
			there == slices.Contains(own, f.Name) {
			t.Errorf("%s of an attack is written: %v", f.Name, there)
		}
	}
}

func TestWithoutSecrets(t *testing.T) {
	a := attack.Attack{TLS: attack.TLS{Cert: []byte("public"), Key: []byte("private")},
		Environment: []requests.Variable{{Name: "TOKEN", Value: "secret"}}}
	w := a.Encode()
	if string(w.TLS.Key) != "private" || len(w.Environment) != 1 {
		t.Errorf("an agent would have %+v", w)
	}
	if w := w.WithoutSecrets(); w.TLS.Key != nil || w.Environment != nil || w.TLS.Cert == nil {
		t.Errorf("a plan has %+v", w)
	}
}
