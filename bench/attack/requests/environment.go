package requests

import (
	"fmt"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/lazyregexp"
)

// A Variable of the environment is used in requests. Its value is masked in output.
type Variable struct{ Name, Value string }

// An Environment replaces ${NAME} in request files. $${NAME} is an escape for the text ${NAME}.
type Environment struct {
	Lookup func(name string) (value string, ok bool)
	Used   []Variable // so far, each once
}

// An UnsetError reports an unset variable.
type UnsetError struct{ Name string }

func (e *UnsetError) Error() string {
	return fmt.Sprintf("${%s}: this environment variable is not set; the text itself is $${%[1]s}",
		e.Name)
}

var variable = lazyregexp.New(`\$?\$\{[A-Za-z_][A-Za-z0-9_]*\}`)

// Expand replaces the variables in a text by their values, passed through escape unless nil.
func (e *Environment) Expand(text string, escape func(string) string) (string, error) {
	if !strings.Contains(text, "${") {
		return text, nil
	}
	var wrong error
	text = variable.ReplaceAllStringFunc(text, func(found string) string {
		if literal, ok := strings.CutPrefix(found, "$$"); ok {
			return "$" + literal
		}
		value, err := e.value(found[2 : len(found)-1])
		if err != nil && wrong == nil {
			wrong = err
		}
		if escape != nil {
			value = escape(value)
		}
		return value
	})
	return text, wrong
}

func (e *Environment) value(name string) (string, error) {
	value, ok := e.Lookup(name)
	if !ok {
		return "", &UnsetError{name}
	}
	if strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c == 0x7f }) {
		return "", fmt.Errorf("${%s}: its value has a line break or another control character",
			name)
	}
	if v := (Variable{name, value}); !slices.Contains(e.Used, v) {
		e.Used = append(e.Used, v)
	}
	return value, nil
}

// SecretsOfVariables returns the values, except short ones without a secret's name.
func SecretsOfVariables(all []Variable) (secrets []Secret) {
	for _, v := range all {
		secrets = addSecret(secrets, v.Name, v.Value)
	}
	return secrets
}
