package attack

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/internal/lazyregexp"
	vegeta "github.com/tsenart/vegeta/v12/lib"
)

// Formats are the formats of ReadRequests: vegeta's own.
var Formats = []string{vegeta.HTTPTargetFormat, vegeta.JSONTargetFormat}

// MaxText limits the bytes of a targets file and its body files together.
const MaxText = 64 << 20

// MaxRequests limits the requests of an attack. Each is kept in memory.
const MaxRequests = 200_000

var errMany = fmt.Errorf("want at most %d requests", MaxRequests)

// MaxTemplates limits the requests that are templates. Each costs 0.2 ms and 12 kB.
const MaxTemplates = 20_000

// vegeta's reader of the http format treats a line longer than maxLine as the end of the file.
const maxLine = 64 << 10

// ReadRequests parses a targets file in one of the Formats and returns the requests and their
// lines. Requests without a method, header or body use those of with. Errors name the line and do
// not quote possible secrets.
func ReadRequests(text []byte, format string, with Request) ([]Request, []int, error) {
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	var next vegeta.Targeter
	var lines []int
	var err error
	switch format {
	case vegeta.HTTPTargetFormat:
		lines, err = checkTargets(text)
		next = vegeta.NewHTTPTargeter(bytes.NewReader(text), with.Body, with.Header)
	case vegeta.JSONTargetFormat:
		for i, line := range bytes.Split(text, []byte("\n")) {
			if len(bytes.TrimSpace(line)) > 0 {
				lines = append(lines, i+1)
			}
		}
		whole := io.MultiReader(bytes.NewReader(text), strings.NewReader("\n")) // ends each last line
		next = vegeta.NewJSONTargeter(whole, with.Body, with.Header)
	default:
		err = fmt.Errorf("unknown format %q (known: %s)", format, strings.Join(Formats, ", "))
	}
	if err != nil {
		return nil, nil, err
	}
	if len(lines) == 0 {
		return nil, nil, errors.New("it has no target")
	} else if len(lines) > MaxRequests {
		return nil, nil, fmt.Errorf("line %d: %w", lines[MaxRequests], errMany)
	}
	all := make([]Request, len(lines))
	for i, line := range lines {
		r := &all[i]
		switch err := next(r); {
		case errors.Is(err, vegeta.ErrNoMethod), errors.Is(err, vegeta.ErrNoURL):
			return nil, nil, fmt.Errorf("line %d: %w", line, err)
		case err != nil: // its text may quote the line
			return nil, nil, fmt.Errorf("line %d: want a target in the format %s", line, format)
		}
		if sameHeader(r.Header, with.Header) {
			r.Header = with.Header // a map for each takes more memory than its line
		}
		if strings.Contains(r.URL, "{{") {
			continue // checked by Validate
		}
		if err := checkRequest(*r); err != nil {
			return nil, nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	return all, lines, nil
}

func sameHeader(a, b http.Header) bool {
	return len(a) == len(b) && maps.EqualFunc(a, b, slices.Equal[[]string])
}

var begins = lazyregexp.New(`^[A-Z]+\s`)

// checkTargets scans the http format as vegeta does and returns the first lines of targets.
func checkTargets(text []byte) (targets []int, err error) {
	left := int64(MaxText)
	within, headers := false, false // in a target; in its headers, which a blank line ends
	i := -1
	for b := range bytes.SplitSeq(text, []byte("\n")) {
		i++
		line := strings.TrimSpace(string(b))
		if within && !headers {
			within, headers = line != "" && !begins.MatchString(line), true
		}
		err = nil
		switch {
		case len(b) >= maxLine:
			err = fmt.Errorf("it has %d bytes; want fewer than %d", len(b), maxLine)
		case line == "":
			within = false
		case line[0] == '#':
		case !within:
			within, headers = true, false
			targets, err = append(targets, i+1), checkTarget(line)
		case line[0] == '@':
			within = false
			left, err = checkBody(line[1:], left)
		default:
			name, value, _ := strings.Cut(line, ":")
			if strings.TrimSpace(name) == "" || strings.TrimSpace(value) == "" {
				err = errors.New("want NAME: VALUE, or @ and the file of the body")
			}
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", i+1, err)
		}
	}
	return targets, nil
}

func checkTarget(line string) error {
	_, address, _ := strings.Cut(line, " ")
	if !begins.MatchString(line) || address == "" {
		return errors.New("want METHOD URL, such as GET http://127.0.0.1:8080/")
	}
	if _, err := url.ParseRequestURI(address); err != nil {
		return fmt.Errorf("want %s behind the method", schemeForms())
	}
	return nil
}

func checkBody(path string, left int64) (rest int64, err error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return left, fmt.Errorf("body: %w", err)
	case !info.Mode().IsRegular():
		return left, fmt.Errorf("%s: want a regular file", path)
	case info.Size() > left:
		return left, fmt.Errorf("%s: this body and those before it exceed %d MiB", path, MaxText>>20)
	}
	return left - info.Size(), nil
}
