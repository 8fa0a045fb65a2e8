package options

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/attack/requests"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/files"
)

type sentFlags struct {
	method, body, targets, format, curl, data, dataFormat, session string
	headers, form                                                  []string
}

const harFormat = "har"

func (f *sentFlags) addTo(cmd *cobra.Command, o *AttackOptions) {
	fs := cmd.Flags()
	fs.StringVarP(&f.method, "method", "m", http.MethodGet, "HTTP `METHOD`")
	fs.StringArrayVarP(&f.headers, "header", "H", nil, "send this `'NAME: VALUE'` (repeatable)")
	fs.StringArrayVar(&o.ShowQuery, "show-query", nil, "show the value of this `NAME` in the "+
		"query of URLs, instead of … (repeatable)")
	fs.StringVarP(&f.body, "body", "b", "", "send this `TEXT`; @FILE sends the content of a "+
		"file, - the content of standard input")
	fs.StringArrayVarP(&f.form, "form", "F", nil, "send a multipart form with this field, "+
		"`NAME=VALUE` or NAME=@FILE, by POST, as curl does (repeatable)")
	fs.StringVar(&f.targets, "targets", "", "send the requests in this `FILE` one after another, "+
		"instead of URL; - is standard input")
	flags.Choice(cmd, &f.format, "targets-format", "format of the targets: vegeta's http or json, "+
		"a browser's archive",
		append(slices.Clone(attack.Formats), harFormat)...)
	fs.StringVar(&f.curl, "curl", "", "send the requests in this `FILE` of curl commands, as "+
		"browsers copy them, instead of URL")
	fs.StringVar(&f.data, "data", "", "fill {{column}} from this `FILE` of CSV (comma, semicolon "+
		"or tab, by its first line), TSV or JSON lines; request i uses row i, and after the last "+
		"row the first again")
	flags.Choice(cmd, &f.dataFormat, "data-format", "format of the data, if the name of the file "+
		"does not show it", requests.DataFormats...)
	fs.BoolVar(&o.Templates, "template", true, "fill in {{…}} in URL, headers and body; "+
		"--template=false sends them unchanged")
	fs.Var(flags.Repeated(&o.Checks, "'CHECK'", checks.Parse), "check", "condition for every "+
		"answer, which otherwise counts as failed: 'status == 200', 'json .items.# > 0'; "+
		"repeatable")
	checkBytes := flags.Parsed(&o.CheckBytes, "SIZE", readCheckBytes)
	checkBytes.Show = func() string { return "1MiB" }
	fs.Var(checkBytes, "check-bytes", "checks and captures read this `SIZE` of a body, such as "+
		"16MiB, and fail on a longer body; an answer needs as much memory")
}

// readCheckBytes rejects sizes out of bounds before an int is too small for them.
func readCheckBytes(text string) (int, error) {
	n, err := checks.ParseSize(text)
	if err == nil && (n < checks.ForFailures || n > attack.MaxChecked) {
		err = fmt.Errorf("want 8KiB to 1GiB, got %q", text)
	}
	return int(n), err
}

func (f *sentFlags) read(
	stdin io.Reader, cmd *cobra.Command, args []string, o *AttackOptions,
) (err error) {
	if f.session != "" {
		if err := exclude(cmd, "session", "targets", "curl", "method", "body", "form"); err != nil {
			return err
		}
	}
	with := attack.Request{Method: f.method, Header: http.Header{}}
	for i, h := range f.headers {
		name, value, ok := strings.Cut(h, ":")
		// the value is not shown, because it may be a credential
		if !ok || strings.TrimSpace(name) == "" {
			return fmt.Errorf("--header: want NAME: VALUE; header %d has no name before a colon",
				i+1)
		}
		with.Header.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
	if with.Body, err = f.readBody(stdin); err != nil {
		return fmt.Errorf("--body: %w", err)
	}
	if err := f.readForm(cmd, stdin, &with); err != nil {
		return err
	}
	if err := f.readData(cmd, o); err != nil {
		return fmt.Errorf("--data: %w", err)
	}
	switch {
	case f.session != "":
		err = f.readSession(args, with, o)
	case f.curl != "":
		err = f.readCurl(stdin, cmd, args, with, o)
	case f.targets != "":
		err = f.readTargets(stdin, args, with, o)
	default:
		with.URL = args[0]
		o.Requests = []attack.Request{with}
		err = f.named(o.CheckSent(with))
	}
	return err
}

func exclude(cmd *cobra.Command, flag string, others ...string) error {
	for _, other := range others {
		if cmd.Flags().Changed(other) {
			return fmt.Errorf("--%s and --%s exclude each other", flag, other)
		}
	}
	return nil
}

func (f *sentFlags) readBody(stdin io.Reader) ([]byte, error) {
	path, isFile := strings.CutPrefix(f.body, "@")
	switch {
	case f.body == "-" && (f.targets == "-" || f.curl == "-"):
		return nil, errors.New("standard input has the requests")
	case f.body == "-" || isFile:
		return read(stdin, path)
	case f.body == "":
		return nil, nil
	}
	if info, err := os.Stat(f.body); err == nil && info.Mode().IsRegular() {
		return nil, fmt.Errorf("%s is a file: write @%s to send its content", f.body, f.body)
	}
	return []byte(f.body), nil
}

func (f *sentFlags) readForm(cmd *cobra.Command, stdin io.Reader, to *attack.Request) (err error) {
	if len(f.form) == 0 {
		return nil
	}
	if err := exclude(cmd, "form", "body", "targets", "curl"); err != nil {
		return err
	}
	read := func(path string) ([]byte, error) { return read(stdin, path) }
	var kind string
	if to.Body, kind, err = requests.Form(f.form, read); err != nil {
		return fmt.Errorf("--form: %w", err)
	}
	to.Header.Set("Content-Type", kind)
	if !cmd.Flags().Changed("method") {
		to.Method = http.MethodPost
	}
	return nil
}

func (f *sentFlags) readData(cmd *cobra.Command, o *AttackOptions) error {
	if f.data == "" {
		return nil
	}
	text, err := files.ReadFile(f.data, maxSent)
	if err != nil {
		return err
	}
	format := requests.FormatOf(f.data)
	if cmd.Flags().Changed("data-format") || format == "" {
		format = f.dataFormat
	}
	o.Data, err = requests.ReadData(f.data, text, format)
	return err
}

func read(stdin io.Reader, path string) ([]byte, error) {
	if path == "-" {
		return files.ReadAll(stdin, maxSent)
	}
	return files.ReadFile(path, maxSent)
}

func (f *sentFlags) readCurl(
	stdin io.Reader, cmd *cobra.Command, args []string, with attack.Request, o *AttackOptions,
) error {
	if err := exclude(cmd, "curl", "targets", "method"); err != nil {
		return err
	}
	if len(args) > 0 {
		return fmt.Errorf("--curl and URL exclude each other, got URL %q", attack.ShownURL(args[0]))
	}
	text, err := read(stdin, f.curl)
	if err != nil {
		return fmt.Errorf("--curl: %w", err)
	}
	env := requests.Environment{Lookup: os.LookupEnv}
	o.Requests, err = requests.ReadCurl(text, &env)
	if o.Environment = env.Used; err != nil {
		return fmt.Errorf("--curl: %s: %w", f.curl, err)
	}
	f.add(with, o)
	return f.checkAll("--curl: "+f.curl+": command", nil, o)
}

// Headers and the body of the flags apply to requests without their own.
func (f *sentFlags) add(with attack.Request, o *AttackOptions) {
	for i := range o.Requests {
		r := &o.Requests[i]
		for name, values := range with.Header {
			r.Header[name] = values
		}
		if f.body != "" {
			r.Body = with.Body
		}
	}
}

func (f *sentFlags) readTargets(
	stdin io.Reader, args []string, with attack.Request, o *AttackOptions,
) error {
	if len(args) > 0 {
		return fmt.Errorf("--targets and URL exclude each other, got URL %q",
			attack.ShownURL(args[0]))
	}
	text, err := read(stdin, f.targets)
	if err != nil {
		return fmt.Errorf("--targets: %w", err)
	}
	var lines []int            // lines in which requests begin; empty if unknown
	if f.format == harFormat { // a recording has no variables
		o.Requests, err = requests.ReadHAR(text)
	} else if text, err = f.expand(text, o); err == nil {
		o.Requests, lines, err = attack.ReadRequests(text, f.format, with)
	}
	if err != nil {
		return fmt.Errorf("--targets: %s: %w", f.targets, err)
	}
	if f.format == harFormat {
		f.add(with, o)
	}
	return f.checkAll("--targets: "+f.targets+": target", lines, o)
}

func (f *sentFlags) expand(text []byte, o *AttackOptions) ([]byte, error) {
	env := requests.Environment{Lookup: os.LookupEnv}
	var escape func(string) string
	if f.format != attack.Formats[0] { // JSON
		escape = func(value string) string {
			quoted, err := json.Marshal(value)
			if err != nil {
				return ""
			}
			return string(quoted[1 : len(quoted)-1])
		}
	}
	expanded, err := env.Expand(string(text), escape)
	o.Environment = env.Used
	if unset, ok := errors.AsType[*requests.UnsetError](err); ok {
		err = fmt.Errorf("line %d: %w", lineOfVariable(text, unset.Name), err)
	}
	return []byte(expanded), err
}

func lineOfVariable(text []byte, name string) int {
	before, _, _ := bytes.Cut(text, []byte("${"+name+"}"))
	return 1 + bytes.Count(before, []byte("\n"))
}

func (f *sentFlags) checkAll(what string, lines []int, o *AttackOptions) error {
	if err := o.CheckSize(); err != nil {
		return fmt.Errorf("%s: %w", what[:strings.LastIndex(what, ":")], err)
	}
	for i, r := range o.Requests {
		err := o.CheckSent(r)
		switch {
		case err == nil:
		case f.isOfData(err):
			return fmt.Errorf("--data: %w", err)
		case lines != nil:
			return fmt.Errorf("%s %d, line %d: %w", what, i+1, lines[i], err)
		default:
			return fmt.Errorf("%s %d: %w", what, i+1, err)
		}
	}
	return nil
}

// An error about a row of data begins with file and line.
func (f *sentFlags) isOfData(err error) bool {
	return f.data != "" && strings.HasPrefix(err.Error(), f.data+":")
}

func (f *sentFlags) named(err error) error {
	if err == nil {
		return nil
	}
	text := err.Error()
	switch {
	case f.isOfData(err):
		return fmt.Errorf("--data: %w", err)
	case strings.HasPrefix(text, "header "):
		return fmt.Errorf("--header: %w", err)
	case strings.HasPrefix(text, "body:"):
		if path, isFile := strings.CutPrefix(f.body, "@"); isFile {
			return fmt.Errorf("--body: %s%s", path, strings.TrimPrefix(text, "body"))
		}
		return fmt.Errorf("--%w", err)
	}
	return err
}
