package param

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/dist"
)

// Resolve checks args against keys. It rejects undeclared and repeated keys, missing required keys,
// and values of the wrong kind. It panics if the declarations are invalid.
func Resolve(keys []Key, args []Arg) (Values, error) {
	v := Values{keys: keys}
	if len(keys) > 0 {
		v.parsed = defaults(keys)
	}
	seen := make([]bool, len(keys))
	for _, a := range args {
		i := slices.IndexFunc(keys, func(k Key) bool { return k.Name == a.Key })
		if i < 0 {
			return Values{}, fmt.Errorf("unknown parameter %q (known: %s)", a.Key, keyNames(keys))
		}
		if seen[i] {
			return Values{}, fmt.Errorf("%s: given twice", a.Key)
		}
		seen[i] = true
		if err := checkValue(a.Key, a.Value); err != nil {
			return Values{}, err
		}
		parsed, err := keys[i].parse(a.Value)
		if err != nil {
			return Values{}, fmt.Errorf("%s: %w", a.Key, err)
		}
		parsed.given = parsed.text != v.parsed[i].text
		v.parsed[i] = parsed
	}
	for i, k := range keys {
		if k.Default == "" && !seen[i] {
			return Values{}, fmt.Errorf("%s: must be given (%s)", k.Name, k.Doc)
		}
	}
	return v, nil
}

// OrDefaults returns v, or the defaults of keys if v is the zero Values. The error names a
// parameter that has no default.
func (v Values) OrDefaults(keys []Key) (Values, error) {
	if v.keys == nil && len(keys) > 0 {
		return Resolve(keys, nil)
	}
	return v, nil
}

func defaults(keys []Key) []value {
	parsed := make([]value, len(keys))
	for i, k := range keys {
		if !isKey(k.Name) ||
			slices.ContainsFunc(keys[:i], func(o Key) bool { return o.Name == k.Name }) {
			panic(fmt.Sprintf("param: key %q is out of form or declared twice", k.Name))
		}
		k.checkChoices()
		if k.Word != "" && k.Kind != Float {
			panic(fmt.Sprintf("param: key %q is a %v with a word", k.Name, k.Kind))
		}
		if k.Default == "" {
			continue
		}
		err := checkValue(k.Name, k.Default)
		if err == nil {
			parsed[i], err = k.parse(k.Default)
		}
		if err != nil {
			panic(fmt.Sprintf("param: default of key %q: %v", k.Name, err))
		}
	}
	return parsed
}

func (k Key) checkChoices() {
	if k.Kind == Choice && len(k.Choices) < 2 || k.Kind != Choice && k.Choices != nil {
		panic(fmt.Sprintf("param: key %q is a %v with the choices %q", k.Name, k.Kind, k.Choices))
	}
	for i, c := range k.Choices {
		if err := checkValue(k.Name, c); err != nil || slices.Contains(k.Choices[:i], c) {
			panic(fmt.Sprintf("param: choice %q of key %q is out of form or given twice", c,
				k.Name))
		}
	}
}

func keyNames(keys []Key) string {
	if len(keys) == 0 {
		return "none"
	}
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return strings.Join(names, ", ")
}

// Duration returns the value of a key of kind Duration. Like the methods below, it panics if there
// is no such key.
func (v Values) Duration(key string) time.Duration { return v.get(key, Duration).dur }

// Float returns the value of a key of kind Float, which is finite, or NaN while it is open.
func (v Values) Float(key string) float64 { return v.get(key, Float).num }

// Int returns the value of a key of kind Int.
func (v Values) Int(key string) int { return int(v.get(key, Int).whole) }

// CheckRange returns an error if a value of kind Int is out of bounds.
func (v Values) CheckRange(key string, least, most int) error {
	if n := v.Int(key); n < least || n > most {
		return fmt.Errorf("%s %d: want %d to %d", key, n, least, most)
	}
	return nil
}

// Size returns the value of a key of kind Size, in bytes, not negative.
func (v Values) Size(key string) int64 { return v.get(key, Size).whole }

// Dist returns the value of a key of kind Distribution.
func (v Values) Dist(key string) dist.Dist { return v.get(key, Distribution).dist }

// Text returns the value of a key of kind Text.
func (v Values) Text(key string) string { return v.get(key, Text).text }

// Choice returns the value of a key of kind Choice, one of its Choices.
func (v Values) Choice(key string) string { return v.get(key, Choice).text }

// Given reports whether key has a value other than its default. It panics if there is no such key.
func (v Values) Given(key string) bool { return v.parsed[v.index(key)].given }

// Join returns the Values of a composition, which has no keys of its own.
func Join(parts ...Values) Values { return Values{parts: slices.Clone(parts)} }

// Parts returns the arguments of Join, or nil for the Values of one variant.
func (v Values) Parts() []Values { return slices.Clone(v.parts) }

// Open returns the first value that is still a word, as key=word, or "".
func (v Values) Open() string {
	for _, part := range v.parts {
		if open := part.Open(); open != "" {
			return open
		}
	}
	for i, k := range v.keys {
		if v.parsed[i].open {
			return k.Name + "=" + k.Word
		}
	}
	return ""
}

// Settle returns v with the number in place of the word. Its canonical form keeps the word.
func (v Values) Settle(word string, number float64) Values {
	settled := Values{keys: v.keys, parsed: slices.Clone(v.parsed), parts: slices.Clone(v.parts)}
	for i, k := range v.keys {
		if one := &settled.parsed[i]; one.open && k.Word == word {
			one.num, one.open = number, false
		}
	}
	for i, part := range settled.parts {
		settled.parts[i] = part.Settle(word, number)
	}
	return settled
}

// Canonical returns the values that differ from their defaults in canonical form,
// key=value,key=value, in the order of declaration.
func (v Values) Canonical() string {
	var parts []string
	for i, k := range v.keys {
		if v.parsed[i].given {
			parts = append(parts, k.Name+"="+v.parsed[i].text)
		}
	}
	return strings.Join(parts, ",")
}

// Spell returns the canonical form of the variant, name or name:key=value,….
func (v Values) Spell(name string) string {
	if c := v.Canonical(); c != "" {
		return name + ":" + c
	}
	return name
}

func (v Values) get(key string, kind Kind) value {
	i := v.index(key)
	if v.keys[i].Kind != kind {
		panic(fmt.Sprintf("param: key %q is a %v, not a %v", key, v.keys[i].Kind, kind))
	}
	return v.parsed[i]
}

func (v Values) index(key string) int {
	i := slices.IndexFunc(v.keys, func(k Key) bool { return k.Name == key })
	if i < 0 {
		panic(fmt.Sprintf("param: key %q is not declared", key))
	}
	return i
}
