// Package lazyregexp compiles a package's regular expressions at their first use, like the package
// of the same name in Go's own tree. Compiling all at the start of the program would cost 1 ms, and
// package regexp would be a twentieth of the playground, which matches no expression.
package lazyregexp

import (
	"regexp"
	"sync"
)

// A Regexp is compiled at its first use, which panics if the expression is invalid.
type Regexp struct {
	expression string
	once       sync.Once
	compiled   *regexp.Regexp
}

func New(expression string) *Regexp { return &Regexp{expression: expression} }

func (r *Regexp) re() *regexp.Regexp {
	r.once.Do(func() { r.compiled = regexp.MustCompile(r.expression) })
	return r.compiled
}

func (r *Regexp) FindAllString(s string, n int) []string {
	return r.re().FindAllString(s, n)
}

func (r *Regexp) FindAllStringIndex(s string, n int) [][]int {
	return r.re().FindAllStringIndex(s, n)
}

func (r *Regexp) FindAllStringSubmatch(s string, n int) [][]string {
	return r.re().FindAllStringSubmatch(s, n)
}

func (r *Regexp) FindAllSubmatch(b []byte, n int) [][][]byte {
	return r.re().FindAllSubmatch(b, n)
}

func (r *Regexp) FindAllSubmatchIndex(b []byte, n int) [][]int {
	return r.re().FindAllSubmatchIndex(b, n)
}

func (r *Regexp) FindIndex(b []byte) []int {
	return r.re().FindIndex(b)
}

func (r *Regexp) FindStringSubmatch(s string) []string {
	return r.re().FindStringSubmatch(s)
}

func (r *Regexp) FindSubmatchIndex(b []byte) []int {
	return r.re().FindSubmatchIndex(b)
}

func (r *Regexp) Match(b []byte) bool {
	return r.re().Match(b)
}

func (r *Regexp) MatchString(s string) bool {
	return r.re().MatchString(s)
}

func (r *Regexp) ReplaceAllString(src, repl string) string {
	return r.re().ReplaceAllString(src, repl)
}

func (r *Regexp) ReplaceAllStringFunc(src string, repl func(string) string) string {
	return r.re().ReplaceAllStringFunc(src, repl)
}
