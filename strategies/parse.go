package strategies

import (
	"fmt"
	"strings"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/registry"
)

// A Variant is a strategy with its parameters.
type Variant = param.Variant[Spec]

// Parse parses name or name:key=value,… of a registered strategy, or a composition such as
// retry:attempts=5+token_bucket:rate=10+worker_pool, outermost first (see Compose).
func Parse(text string) (Variant, error) {
	c, err := param.Parse(text)
	if err != nil {
		return Variant{}, err
	}
	return Resolve(c)
}

// MustParse is like Parse but panics on errors.
func MustParse(text string) Variant {
	v, err := Parse(text)
	if err != nil {
		panic(err)
	}
	return v
}

// Resolve is Parse for a name and parameters that are already split.
func Resolve(c param.Call) (Variant, error) {
	texts := splitComposition(c)
	last := len(texts) - 1
	if last == 0 {
		v, err := registry.Resolve(&all, c)
		if given := v.Spec.Given; err == nil && given != nil {
			v.Spec = given(v.Spec, v.Values)
		}
		if err != nil && isPart(c.Name) && !isStrategy(c.Name) {
			err = fmt.Errorf("strategy %s: it needs an inner strategy, as in %s+worker_pool", c.Name,
				c.Name)
		}
		return v, err
	}
	parts := make([]PartVariant, last)
	for i, text := range texts[:last] {
		var err error
		if parts[i], err = ParsePart(text); err != nil {
			return Variant{}, err
		}
	}
	base, err := Parse(texts[last])
	if err != nil {
		return Variant{}, err
	}
	return Compose(base, parts...)
}

// A PartVariant is a part with its parameters.
type PartVariant = param.Variant[Part]

// ParsePart parses name or name:key=value,… of a part.
func ParsePart(text string) (PartVariant, error) {
	v, err := registry.Parse(&partSet, text)
	name, _, _ := strings.Cut(text, ":")
	if err != nil && isStrategy(name) && !isPart(name) {
		err = fmt.Errorf("strategy %s: it cannot have an inner strategy (strategies that can: %s)", name,
			strings.Join(partSet.Names(), ", "))
	}
	return v, err
}

func isStrategy(name string) bool { return all.Has(name) }

func isPart(name string) bool { return partSet.Has(name) }

// splitComposition splits at each + before a name, but not in the parameters of the base, which is
// the first strategy that is not a part.
func splitComposition(c param.Call) (texts []string) {
	text := c.String()
	if first, _, several := strings.Cut(c.Name, "+"); !several && !isPart(first) {
		return []string{text}
	}
	for {
		name, _, _ := strings.Cut(text, ":")
		if !strings.Contains(name, "+") && isStrategy(name) && !isPart(name) {
			return append(texts, text)
		}
		at := plusBeforeName(text)
		if at < 0 {
			return append(texts, text)
		}
		texts, text = append(texts, text[:at]), text[at+1:]
	}
}

// plusBeforeName returns the index of the first separator of a composition, or -1. The + in a
// number such as 1e+06 is none.
func plusBeforeName(text string) int {
	for i := range len(text) - 1 {
		if text[i] == '+' && 'a' <= text[i+1] && text[i+1] <= 'z' {
			return i
		}
	}
	return -1
}
