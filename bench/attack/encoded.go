package attack

import (
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/bench/attack/requests"
	"github.com/poolbench/poolbench/bench/attack/sessions"
	"github.com/poolbench/poolbench/strategies"
)

// Encoded is the serialised form of an attack for another process, including secrets of the
// requests. It excludes local fields such as writers and the Start.
type Encoded struct {
	Requests                               []Request
	Session                                *sessions.Session   `json:",omitempty"`
	Templates                              bool                `json:",omitempty"`
	Data                                   *requests.Data      `json:",omitempty"`
	Environment                            []requests.Variable `json:",omitempty"`
	Checks                                 checks.List         `json:",omitempty"`
	CheckBytes                             int                 `json:",omitempty"`
	StopIf                                 []checks.Stop       `json:",omitempty"`
	ShowQuery                              []string            `json:",omitempty"`
	Label, Arrival, Strategy               string              // "" is none
	Rate                                   float64
	Clients, Tasks                         int
	ClientStages                           []arrivals.Stage `json:",omitempty"`
	Duration, Drain, Timeout               time.Duration
	Limit, Queue, MaxInFlight, Connections int
	Redirects, Shed                        int
	Resend, Insecure, Soak, DataOnce       bool
	NoKeepAlive                            bool          `json:",omitempty"`
	DNSTTL                                 time.Duration `json:",omitempty"`
	TLS                                    TLS
	Resolve                                []Resolve `json:",omitempty"`
	Seed                                   uint64
	Agents, Agent                          int
	Profile                                string  `json:",omitempty"`
	Trace                                  float64 `json:",omitempty"`
	HTTP2, H2C, HTTP3                      bool    `json:",omitempty"`
	Streams                                int     `json:",omitempty"`
	UnixSocket                             string  `json:",omitempty"`
	Descriptors                            []byte  `json:",omitempty"`
}

// Encode returns the serialised form of the attack.
func (a Attack) Encode() Encoded {
	var w Encoded
	share(&w, a)
	if a.Arrival.Spec.Name != "" {
		w.Arrival = a.Arrival.String()
	}
	if a.through() {
		w.Strategy = a.Strategy.String()
	}
	return w
}

// share copies the common fields.
func share(to, from any) {
	fields, given := reflect.ValueOf(to).Elem(), reflect.ValueOf(from)
	for i := range fields.NumField() {
		name := fields.Type().Field(i).Name
		if v := given.FieldByName(name); v.IsValid() && v.Type() == fields.Field(i).Type() {
			fields.Field(i).Set(v)
		}
	}
}

// WithoutSecrets removes values of headers, user and query of the URL, and bodies and data except
// their sizes. A hash is no substitute, because short secrets can be guessed from it.
func (w Encoded) WithoutSecrets() Encoded {
	if w.Data != nil {
		w.Data = &requests.Data{Name: w.Data.Name, Columns: w.Data.Columns,
			Lines: []int{len(w.Data.Rows)}}
	}
	w.ShowQuery = nil // it changes nothing that is sent
	w.TLS.Key, w.Environment = nil, nil
	if len(w.Requests) >= lazyFrom { // a copy would take as much memory as the requests
		sum := sha256.New()
		words := json.NewEncoder(sum)
		for _, r := range w.Requests {
			if err := words.Encode(withoutSecrets(r)); err != nil {
				panic(fmt.Sprintf("attack: a request has no JSON: %v", err))
			}
		}
		w.Requests = []Request{{Body: sum.Sum(nil)}}
		return w
	}
	w.Requests = slices.Clone(w.Requests)
	for i, r := range w.Requests {
		w.Requests[i] = withoutSecrets(r)
	}
	return w
}

func withoutSecrets(r Request) Request {
	r = withoutUser(r)
	r.URL, _, _ = strings.Cut(r.URL, "?")
	r.URL, _, _ = strings.Cut(r.URL, "#")
	r.Header = maps.Clone(r.Header)
	for name := range r.Header {
		r.Header[name] = nil
	}
	r.Body = []byte(strconv.Itoa(len(r.Body)))
	return r
}

// Attack is the inverse of Attack.Written. The error also reports an invalid attack.
func (w Encoded) Attack() (a Attack, err error) {
	share(&a, w)
	var wrong [2]error
	if w.Arrival != "" {
		a.Arrival, wrong[0] = arrivals.Parse(w.Arrival)
	}
	if w.Strategy != "" {
		a.Strategy, wrong[1] = strategies.Parse(w.Strategy)
	}
	if err := errors.Join(wrong[:]...); err != nil {
		return a, err
	}
	return a, a.Validate()
}

// Name returns the benchmark name of the attack: every axis that is not at its default, without the
// seed. With Label it does not depend on the address.
func (a Attack) Name() string {
	given := a
	a = a.withDefaults()
	parts := []string{"Attack"}
	add := func(given bool, axis string, value any) {
		if given {
			parts = append(parts, fmt.Sprintf("%s=%v", axis, value))
		}
	}
	add(a.through(), "strategy", a.Strategy)
	add(true, "target", a.label())
	add(a.Clients > 0, "arrival", a.clientsArrival())
	add(a.Clients <= 0, "arrival", a.Arrival)
	add(a.through(), "limit", a.Limit)
	add(a.Rate != 0, "rate", a.Rate)
	add(a.Queue != 0, "queue", max(a.Queue, 0))
	if n := "n"; a.Tasks != 0 {
		if a.Session != nil {
			n = "sessions"
		}
		add(true, n, a.Tasks)
	}
	add(a.Duration != 0, "duration", a.Duration)
	add(given.MaxInFlight > 0, "max-in-flight", given.MaxInFlight)
	if a.Session != nil {
		add(true, "session", a.Session.Name)
	}
	add(a.HTTP2, "protocol", "http2")
	add(a.H2C, "protocol", "h2c")
	add(a.HTTP3, "protocol", "http3")
	if p := a.protocol(); p != nil {
		add(true, "protocol", p.Name)
	}
	add(a.UnixSocket != "", "socket", escaped(a.UnixSocket))
	add(a.Connections != 0, "connections", a.Connections)
	add(a.Streams != 0, "streams", a.Streams)
	add(a.NoKeepAlive, "keepalive", false)
	add(a.Timeout != DefaultTimeout, "timeout", a.Timeout)
	add(a.Drain != DefaultDrain, "drain", a.Drain)
	add(a.Agents > 0, "agents", a.Agents)
	add(a.Profile != "", "profile", a.Profile)
	return strings.Join(append(parts, "clock=real"), "/")
}

func (a Attack) clientsArrival() string {
	if a.ClientStages != nil {
		return a.clients().String()
	}
	return fmt.Sprintf("closed:clients=%d,think=0s", a.Clients)
}

func (a Attack) clients() arrivals.Variant {
	if a.ClientStages != nil {
		v, _ := arrivals.ClientsInStages(a.ClientStages) // Validate reports the error
		return v
	}
	return arrivals.MustParse(a.clientsArrival())
}

// Target returns the target without user and password.
func (a Attack) Target() string {
	if a.Label != "" || len(a.Requests) == 0 {
		return a.Label
	}
	target := ShownURL(a.Requests[0].URL)
	if a.isTemplate(a.Requests[0]) {
		origin, rest := cutOrigin(withoutUser(a.Requests[0]).URL)
		_, host, _ := strings.Cut(origin, "://")
		path, _, _ := strings.Cut(rest, "?")
		path, _, _ = strings.Cut(path, "#")
		target = host + strings.TrimSuffix(path, "/")
	} else if u, err := url.Parse(a.Requests[0].URL); err == nil {
		target = u.Host + strings.TrimSuffix(u.EscapedPath(), "/")
	}
	target = a.masked(target)
	if n := len(a.Requests); n > 1 {
		target += "+" + strconv.Itoa(n-1)
	}
	return target
}

func (a Attack) label() string { return escaped(a.Target()) }

func escaped(text string) string {
	var b strings.Builder
	for _, c := range text {
		if c <= ' ' || c == '/' || c == '%' || c == 0x7f {
			b.WriteString(url.QueryEscape(string(c)))
		} else {
			b.WriteRune(c)
		}
	}
	return b.String()
}
