package requests

import (
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	vegeta "github.com/tsenart/vegeta/v12/lib"
	"mvdan.cc/sh/v3/expand"
	"mvdan.cc/sh/v3/syntax"
)

// ReadCurl parses a sequence of curl commands. It executes nothing and reads no file. Variables are
// replaced from env. Errors name the line and do not quote possible secrets.
func ReadCurl(text []byte, env *Environment) (all []vegeta.Target, err error) {
	if text, err = check(text); err != nil {
		return nil, err
	}
	script, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(
		strings.NewReader(string(text)), "")
	if wrong, ok := errors.AsType[syntax.ParseError](err); ok {
		return nil, fmt.Errorf("line %d: %s", wrong.Pos.Line(), wrong.Text)
	} else if err != nil {
		return nil, errors.New("this is not a shell command")
	}
	for _, s := range script.Stmts {
		line := s.Pos().Line()
		words, err := wordsOf(s, env)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		r, err := request(words)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
		all = append(all, r)
	}
	if len(all) == 0 {
		return nil, errors.New("it contains no curl command")
	}
	return all, nil
}

func wordsOf(s *syntax.Stmt, env *Environment) ([]string, error) {
	call, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(call.Assigns) > 0 || len(s.Redirs) > 0 || len(call.Args) == 0 {
		return nil, errPlain
	}
	for _, w := range call.Args {
		if !isText(w.Parts, env != nil) {
			return nil, errFilled
		}
	}
	values, err := env.valuesOf(call.Args)
	if err != nil {
		return nil, err
	}
	words, err := expand.Fields(&expand.Config{Env: expand.FuncEnviron(func(name string) string {
		return values[name]
	})}, call.Args...)
	switch {
	case err != nil || len(words) == 0:
		return nil, errFilled
	case words[0] != "curl":
		return nil, errors.New("want curl as the first word of a command")
	}
	return words[1:], nil
}

var errFilled = errors.New("variables and commands are not expanded, except plain ${NAME}: put " +
	"text that contains a $ in single quotes")

func (e *Environment) valuesOf(words []*syntax.Word) (map[string]string, error) {
	values := map[string]string{}
	var wrong error
	for _, w := range words {
		syntax.Walk(w, func(n syntax.Node) bool {
			if p, ok := n.(*syntax.ParamExp); ok {
				value, err := e.value(p.Param.Value)
				values[p.Param.Value], wrong = value, cmp.Or(wrong, err)
			}
			return true
		})
	}
	return values, wrong
}

// isText reports whether the parts need no shell expansion, except plain variables if variables is
// set.
func isText(parts []syntax.WordPart, variables bool) bool {
	for _, p := range parts {
		switch p := p.(type) {
		case *syntax.Lit, *syntax.SglQuoted:
		case *syntax.DblQuoted:
			if !isText(p.Parts, variables) {
				return false
			}
		case *syntax.ParamExp:
			if !variables || !isPlain(p) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// isPlain accepts $NAME and ${NAME} without an operation.
func isPlain(p *syntax.ParamExp) bool {
	return p.Param != nil && syntax.ValidName(p.Param.Value) && !p.Excl && !p.Length && !p.Width &&
		!p.IsSet && p.NestedParam == nil && p.Index == nil && p.Slice == nil && p.Repl == nil &&
		p.Names == 0 && p.Exp == nil
}

type command struct {
	r                               vegeta.Target
	data                            []string
	method                          string
	inURL, head, isJSON, compressed bool
}

type option struct {
	names []string
	take  func(*command, string) error
}

// taking are the options with a value.
var taking = []option{
	{[]string{"-X", "--request"}, func(c *command, v string) error { c.method = v; return nil }},
	{[]string{"-H", "--header"}, (*command).header},
	{[]string{"-d", "--data", "--data-ascii", "--data-binary"}, (*command).addData},
	{[]string{"--data-raw"}, func(c *command, v string) error {
		c.data = append(c.data, v)
		return nil
	}},
	{[]string{"--data-urlencode"}, (*command).addEncoded},
	{[]string{"--json"}, func(c *command, v string) error {
		c.isJSON = true
		return c.addData(v)
	}},
	{[]string{"-b", "--cookie"}, (*command).cookie},
	{[]string{"-u", "--user"}, func(c *command, v string) error {
		c.r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(v)))
		return nil
	}},
	{[]string{"-A", "--user-agent"}, named("User-Agent")},
	{[]string{"-e", "--referer"}, named("Referer")},
	{[]string{"--url"}, (*command).address},
	// the attack has its own flags for output and timeouts
	{[]string{"-o", "--output", "-w", "--write-out", "-m", "--max-time", "--connect-timeout",
		"--max-redirs", "--retry", "-D", "--dump-header"},
		func(*command, string) error { return nil }},
}

// alone are the options without a value.
var alone = []option{
	{[]string{"-G", "--get"}, func(c *command, _ string) error { c.inURL = true; return nil }},
	{[]string{"-I", "--head"}, func(c *command, _ string) error { c.head = true; return nil }},
	{[]string{"--compressed"}, func(c *command, _ string) error {
		c.compressed = true
		return nil
	}},
	{[]string{"-k", "--insecure"}, func(*command, string) error {
		return errors.New("--insecure is a flag of attack: give it there instead")
	}},
	{[]string{"-s", "--silent", "-S", "--show-error", "-L", "--location", "-i", "--include", "-v",
		"--verbose", "-f", "--fail", "--http1.1", "--globoff", "-g", "-#", "--progress-bar",
		"--path-as-is"}, func(*command, string) error { return nil }},
}

func find(options []option, name string) *option {
	for i := range options {
		if slices.Contains(options[i].names, name) {
			return &options[i]
		}
	}
	return nil
}

func request(words []string) (vegeta.Target, error) {
	c := &command{r: vegeta.Target{Header: http.Header{}}}
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		if !strings.HasPrefix(word, "-") || word == "-" {
			if err := c.address(word); err != nil {
				return c.r, err
			}
			continue
		}
		var err error
		if words, err = c.option(word, words); err != nil {
			return c.r, err
		}
	}
	return c.finish()
}

// Short options may be combined. rest is the words after the option's value.
func (c *command) option(word string, words []string) (rest []string, err error) {
	name, value, attached := word, "", false
	if strings.HasPrefix(word, "--") {
		name, value, attached = strings.Cut(word, "=")
	} else {
		for len(word) > 2 && find(alone, word[:2]) != nil {
			if err := find(alone, word[:2]).take(c, ""); err != nil {
				return nil, fmt.Errorf("%s: %w", word[:2], err)
			}
			word = "-" + word[2:]
		}
		if name = word; len(word) > 2 {
			name, value, attached = word[:2], word[2:], true
		}
	}
	if o := find(alone, name); o != nil && !attached {
		if err := o.take(c, ""); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		return words, nil
	}
	o := find(taking, name)
	switch {
	case o == nil:
		return nil, fmt.Errorf("%s: this option of curl is not supported", name)
	case !attached && len(words) == 0:
		return nil, fmt.Errorf("%s: its value is missing", name)
	case !attached:
		value, words = words[0], words[1:]
	}
	if err := o.take(c, value); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return words, nil
}

func named(header string) func(*command, string) error {
	return func(c *command, v string) error {
		c.r.Header.Set(header, v)
		return nil
	}
}

func (c *command) address(v string) error {
	if c.r.URL != "" {
		return errors.New("a second URL: want one in each command")
	}
	if c.r.URL = v; !strings.Contains(v, "://") {
		c.r.URL = "http://" + v
	}
	return nil
}

func (c *command) header(v string) error {
	name, value, ok := strings.Cut(v, ":")
	if !ok {
		if name, ok = strings.CutSuffix(v, ";"); !ok {
			return errors.New("want 'NAME: VALUE'")
		}
	} else if value = strings.TrimSpace(value); value == "" {
		return nil // as curl does
	}
	if name = strings.TrimSpace(name); name == "" {
		return errors.New("want 'NAME: VALUE'")
	}
	c.r.Header.Add(name, value)
	return nil
}

func (c *command) addData(v string) error {
	if strings.HasPrefix(v, "@") {
		return errors.New("a body in a file: omit it here, and give --body @FILE")
	}
	c.data = append(c.data, v)
	return nil
}

func (c *command) addEncoded(v string) error {
	name, value, ok := strings.Cut(v, "=")
	switch {
	case !ok && strings.Contains(v, "@"):
		return errors.New("a value in a file is not read")
	case !ok:
		name, value = "", v
	}
	if value = url.QueryEscape(value); name != "" {
		value = name + "=" + value
	}
	c.data = append(c.data, value)
	return nil
}

func (c *command) cookie(v string) error {
	if !strings.Contains(v, "=") {
		return errors.New("a file of cookies is not read: want NAME=VALUE; …")
	}
	if before := c.r.Header.Get("Cookie"); before != "" {
		v = before + "; " + v
	}
	c.r.Header.Set("Cookie", v)
	return nil
}

func (c *command) finish() (vegeta.Target, error) {
	r := c.r
	if r.URL == "" {
		return r, errors.New("there is no URL")
	}
	separator := "&"
	if c.isJSON {
		separator = ""
	}
	data := strings.Join(c.data, separator)
	r.Method = http.MethodGet
	switch {
	case c.inURL && data != "":
		address, fragment, _ := strings.Cut(r.URL, "#")
		join := "?"
		if strings.Contains(address, "?") {
			join = "&"
		}
		if r.URL = address + join + data; fragment != "" {
			r.URL += "#" + fragment
		}
	case len(c.data) > 0:
		r.Method, r.Body = http.MethodPost, []byte(data)
		kind := "application/x-www-form-urlencoded"
		if c.isJSON {
			kind = "application/json"
		}
		if r.Header.Get("Content-Type") == "" {
			r.Header.Set("Content-Type", kind)
		}
	}
	if c.head {
		r.Method = http.MethodHead
	}
	if c.method != "" {
		r.Method = c.method
	}
	if c.compressed && r.Header.Get("Accept-Encoding") == "" {
		r.Header.Set("Accept-Encoding", "gzip") // checks can decode it
	}
	r.Header.Del("Content-Length") // computed on sending
	return r, nil
}
