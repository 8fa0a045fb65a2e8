// Package junit writes test cases as JUnit XML (Write), as annotations of a GitHub workflow
// (Annotate), and as the summary of its job (Summarize).
package junit

import (
	"encoding/xml"
	"io"
)

type Suite struct {
	Name     string `xml:"name,attr"`
	Tests    int    `xml:"tests,attr"` // the counts are set by Add
	Failures int    `xml:"failures,attr"`
	Errors   int    `xml:"errors,attr"`
	Skipped  int    `xml:"skipped,attr"`
	Cases    []Case `xml:"testcase"`
	Output   string `xml:"system-out,omitempty"` // further text for the reader
}

// A Case passes unless Failure, Error or Skipped is set. A failure is a bad result, an error a
// missing one.
type Case struct {
	Name    string `xml:"name,attr"`
	Class   string `xml:"classname,attr"`
	Failure *Text  `xml:"failure"`
	Error   *Text  `xml:"error"`
	Skipped *Text  `xml:"skipped"`
	Output  string `xml:"system-out,omitempty"`
}

type Text struct {
	Type    string `xml:"type,attr,omitempty"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

func (s *Suite) Add(c Case) {
	s.Tests++
	switch {
	case c.Failure != nil:
		s.Failures++
	case c.Error != nil:
		s.Errors++
	case c.Skipped != nil:
		s.Skipped++
	}
	s.Cases = append(s.Cases, c)
}

// Write uses Jenkins' schema. Characters that XML cannot represent are replaced.
func (s *Suite) Write(w io.Writer) error {
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	encode := xml.NewEncoder(w)
	encode.Indent("", "  ")
	if err := encode.Encode(document{Suites: []*Suite{s}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

type document struct {
	XMLName xml.Name `xml:"testsuites"`
	Suites  []*Suite `xml:"testsuite"`
}
