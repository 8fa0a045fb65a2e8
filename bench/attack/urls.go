package attack

import (
	"cmp"
	"net/http"
	"slices"
	"strings"

	"github.com/poolbench/poolbench/bench/attack/sessions"
	"github.com/poolbench/poolbench/internal/metric"
)

// MaxURLs is the number of URLs that are counted separately. All others are counted as OtherURLs.
const MaxURLs = 100

// OtherURLs names the requests to URLs beyond MaxURLs.
const OtherURLs = "other"

// A URL is one of several URLs of an attack, or a step of its sessions.
type URL struct {
	Name   string // method and path, such as GET /item/{{seq}}, or the name of the step
	Also   string // method and path of a step
	Prefix string // of its metrics
}

// URLs returns the URLs with their own results: the first MaxURLs kinds, and OtherURLs if there are
// more. Requests with the same method and path, or of the same template, are of one kind. An attack
// on a single URL has none.
func (a Attack) URLs() (all []URL) {
	if a.Session != nil {
		for i, s := range a.Session.Steps {
			all = append(all, URL{s.Name, a.urlName(a.Requests[i], false),
				sessions.StepPrefix(i, s.Name)})
		}
		return all
	}
	names, _ := a.urlRows()
	for _, name := range names {
		all = append(all, URL{Name: name, Prefix: metric.OfURL(name)})
	}
	return all
}

func (a Attack) urlRows() (names []string, of []uint8) {
	if len(a.Requests) < 2 {
		return nil, nil
	}
	first, _ := cutOrigin(a.Requests[0].URL)
	hosts := slices.ContainsFunc(a.Requests, func(r Request) bool {
		origin, _ := cutOrigin(r.URL)
		return origin != first
	})
	rows := map[string]uint8{}
	of = make([]uint8, len(a.Requests))
	for i, r := range a.Requests {
		name := a.urlName(r, hosts)
		row, known := rows[name]
		switch {
		case known:
		case len(names) < MaxURLs:
			row = uint8(len(names))
			rows[name], names = row, append(names, name)
		default:
			if len(names) == MaxURLs {
				names = append(names, OtherURLs)
			}
			row = MaxURLs
		}
		of[i] = row
	}
	if len(names) < 2 {
		return nil, nil
	}
	return names, of
}

const maxURLName = 120

func (a Attack) urlName(r Request, host bool) string {
	origin, path := cutOrigin(withoutUser(r).URL)
	if !a.isTemplate(r) {
		_, path = cutOrigin(ShownURL(r.URL))
	}
	path, _, _ = strings.Cut(path, "?")
	path, _, _ = strings.Cut(path, "#")
	path = a.masked(cmp.Or(path, "/"))
	if _, at, ok := strings.Cut(origin, "://"); host && ok {
		path = at + path
	}
	name := path
	if scheme, _, _ := strings.Cut(r.URL, "://"); protocols[scheme] == nil { // with HTTP's methods
		name = cmp.Or(r.Method, http.MethodGet) + " " + path
	}
	if len(name) > maxURLName {
		name = strings.ToValidUTF8(name[:maxURLName], "") + "…"
	}
	return name
}

func newURLTally(a Attack) *urlTally {
	if a.Session != nil {
		return nil
	}
	names, of := a.urlRows()
	if names == nil {
		return nil
	}
	t := &urlTally{rows: make([]sessions.Row, len(names)), of: of}
	for i, name := range names {
		t.rows[i].Name = name
	}
	return t
}

type urlTally struct {
	rows []sessions.Row
	of   []uint8 // the row of each request
}

func (t *urlTally) sortedRows() []sessions.Row {
	if t == nil {
		return nil
	}
	return t.rows
}

func (t *urlTally) add(seq uint64, s sessions.RequestOutcome) (name string) {
	row := &t.rows[t.of[seq%uint64(len(t.of))]]
	row.Add(s)
	return row.Name
}

func urlMetrics(
	rows []sessions.Row, spell func(int) string, add func(unit string, value float64),
) {
	for i := range rows {
		r := &rows[i]
		prefix := metric.OfURL(r.Name)
		r.Metrics(spell, func(unit string, v float64) { add(prefix+unit, v) })
	}
}
