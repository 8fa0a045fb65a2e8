package options

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/requests"
	"github.com/poolbench/poolbench/bench/attack/sessions"
	"github.com/poolbench/poolbench/internal/files"
)

// The optional URL is the base of the steps' URLs. Headers of flags apply to steps without a header
// of the same name.
func (f *sentFlags) readSession(
	args []string, with attack.Request, o *AttackOptions,
) error {
	text, err := files.ReadFile(f.session, sessions.MaxText)
	if err != nil {
		return fmt.Errorf("--session: %w", err)
	}
	s, err := sessions.ReadScript(f.session, text)
	if err != nil {
		return prefixed("--session", err)
	}
	if err := expandSteps(&s.Session, text, o); err != nil {
		return fmt.Errorf("--session: %s:%w", f.session, err)
	}
	base := cmp.Or(args...)
	switch used, err := s.WithBase(base); {
	case err != nil:
		return fmt.Errorf("--session: %s: %w", f.session, err)
	case base != "" && !used:
		return fmt.Errorf("--session: %s: no url of a step begins with a slash, so the URL %q "+
			"has no effect", f.session, attack.ShownURL(base))
	}
	for i := range s.Steps {
		header := s.Steps[i].Request.Header
		for name, values := range with.Header {
			if len(header.Values(name)) == 0 {
				header[name] = values
			}
		}
	}
	o.Attack = o.WithSession(&s.Session)
	var wrong []error
	for i, st := range s.Steps {
		err := o.CheckStep(i)
		switch {
		case err == nil:
		case f.isOfData(err):
			return fmt.Errorf("--data: %w", err)
		default:
			wrong = append(wrong,
				fmt.Errorf("--session: %s: step %s: %w", s.Where[i], st.Name, err))
		}
	}
	return errors.Join(wrong...)
}

// expandSteps replaces environment variables. Its error begins with the line.
func expandSteps(s *sessions.Session, text []byte, o *AttackOptions) error {
	env := requests.Environment{Lookup: os.LookupEnv}
	for i := range s.Steps {
		r := &s.Steps[i].Request
		body := string(r.Body)
		fields := []*string{&r.URL, &body}
		for _, values := range r.Header {
			for k := range values {
				fields = append(fields, &values[k])
			}
		}
		for _, field := range fields {
			var err error
			*field, err = env.Expand(*field, nil)
			if unset, ok := errors.AsType[*requests.UnsetError](err); ok {
				return fmt.Errorf("%d: %w", lineOfVariable(text, unset.Name), err)
			} else if err != nil {
				return fmt.Errorf(" %w", err)
			}
		}
		if r.Body != nil {
			r.Body = []byte(body)
		}
	}
	o.Environment = env.Used
	return nil
}
