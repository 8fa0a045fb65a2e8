package attack

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/poolbench/poolbench/bench/arrivals"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/internal/machine"
	"github.com/poolbench/poolbench/internal/text"
)

// Each client has a goroutine and a connection.
const maxClients = 100_000

// MaxChecked limits Attack.CheckBytes.
const MaxChecked = 1 << 30

// CheckSize returns an error if there are too many requests, or too many templates.
func (a Attack) CheckSize() error {
	if len(a.Requests) > MaxRequests {
		return fmt.Errorf("requests: %d are given; %w", len(a.Requests), errMany)
	}
	templates := 0
	for _, r := range a.Requests {
		if a.isTemplate(r) {
			templates++
		}
	}
	if templates > MaxTemplates {
		return fmt.Errorf("%d requests are templates; want at most %d: use one template and a "+
			"table of data", templates, MaxTemplates)
	}
	return nil
}

func (a Attack) checkClientStages() error {
	if a.ClientStages == nil {
		return nil
	}
	if _, err := arrivals.ClientsInStages(a.ClientStages); err != nil {
		return fmt.Errorf("clients: %w", err)
	}
	total := time.Duration(0)
	for _, s := range a.ClientStages {
		total += s.For
	}
	switch most := arrivals.MaxClients(a.ClientStages); {
	case a.Clients != most || a.Duration != total:
		return fmt.Errorf("clients in stages: want clients %d and duration %v, as in the stages",
			most, total)
	case a.Agents > 0:
		return errors.New("clients in stages: results by stage are not merged, so there are no agents")
	}
	return nil
}

// Validate returns all errors of the attack's options, joined. It sends nothing.
func (a Attack) Validate() error {
	given := a
	a = a.withDefaults()
	var wrong text.Complaints
	complain := wrong.If
	complain(len(a.Requests) == 0, "requests: none is given")
	if err := a.CheckSize(); err != nil {
		return err
	}
	wrong = append(wrong, given.checkSession()...)
	for i, r := range given.Requests {
		err := a.checkSent(r, i)
		if err != nil && len(given.Requests) > 1 {
			err = fmt.Errorf("request %d: %w", i+1, err)
		}
		wrong.Note(err)
	}
	complain(a.Data != nil && !slices.ContainsFunc(given.Requests, a.isTemplate),
		"data: no request has a {{column}} to be filled in")
	complain(a.DataOnce && a.Data == nil, "data-once: want data")
	if a.DataOnce && a.Data != nil {
		complain(a.Tasks > len(a.Data.Rows), "data-once: %s has %d rows, and n is %d", a.Data.Name,
			len(a.Data.Rows), a.Tasks)
	}
	complain(a.Rate > 1e6, "rate %v: want up to 1e6 requests per second", a.Rate)
	most := float64(arrivals.MaxTasks)
	if a.maySoak() {
		most = min(arrivals.MaxSoak, math.MaxInt) / float64(a.perArrival())
	}
	wrong = append(wrong, a.Arrival.CheckPlan(a.Rate, a.Tasks, a.Duration, most)...)
	complain(a.Soak && !a.maySoak(), "soak: want an open loop without stages: no records of "+
		"single requests are kept")
	complain(a.Before != nil && (!a.Soak || a.Agents > 0 || a.Session != nil),
		"before: want a soak of requests without agents, because other attacks cannot continue")
	complain(a.Clients < 0 || a.Clients > maxClients, "clients %d: want 1 to %d",
		a.Clients, maxClients)
	wrong.Note(a.checkClientStages())
	complain(a.Clients > 0 && given.Rate != 0, "clients set the pace, so there is no rate")
	complain(a.Clients > 0 && given.Arrival.Spec.Name != "",
		"clients set the pace, so there is no arrival process")
	complain(a.Clients > 0 && a.through(), "clients and strategy exclude each other")
	complain(a.Clients > 0 && given.MaxInFlight != 0,
		"clients and max-in-flight exclude each other: each client sends one at a time")
	complain(a.through() && given.MaxInFlight != 0,
		"strategy and max-in-flight exclude each other: the strategy limits the requests in flight")
	complain(a.Arrival.IsClosed(), "arrival %s: it is closed, so give the number of clients",
		a.Arrival.Spec.Name)
	complain(given.Rate != 0 && a.Clients == 0 && !a.Arrival.TakesRate(),
		"arrival %s: it settles its own rate", a.Arrival.Spec.Name)
	complain(a.Arrival.Spec.AllAtOnce && a.Tasks == 0,
		"arrival %s: give the number of requests (n)", a.Arrival.Spec.Name)
	complain(a.Tasks != 0 && a.Duration != 0, "n and duration exclude each other")
	complain(a.Tasks == 0 && a.Duration == 0, "n: want at least one request, or a duration")
	complain(a.Timeout < 0 || a.Timeout > arrivals.MaxSpan,
		"timeout %v: want a positive duration, at most 87600h", a.Timeout)
	complain(a.Drain < 0 || a.Drain > arrivals.MaxSpan,
		"drain %v: want a positive duration, at most 87600h", a.Drain)
	complain(a.MaxInFlight < Unlimited || a.MaxInFlight > maxClients, "max-in-flight %d: want 1 to %d",
		a.MaxInFlight, maxClients)
	complain(a.Connections < 0, "connections %d: want 1 or more", a.Connections)
	complain(a.DNSTTL < 0, "dns-ttl %v: want a duration, or 0", a.DNSTTL)
	wrong = append(wrong, a.checkProtocol()...)
	wrong.Note(a.TLS.check())
	complain(len(a.Resolve) > 0 && a.UnixSocket != "",
		"resolve: all connections go to the Unix socket")
	wrong.Note(machine.CheckProfiles(a.Profile))
	complain(a.Profile != "" && a.Agents > 0,
		"profile: not possible with agents: profile an attack without agents")
	wrong.Note(a.checkAgents())
	complain(a.CheckBytes != 0 && (a.CheckBytes < checks.ForFailures || a.CheckBytes > MaxChecked),
		"check-bytes %d: want 8KiB to 1GiB", a.CheckBytes)
	complain(!(a.Trace >= 0 && a.Trace <= 1), "trace %v: want a share of the requests, 0 to 1",
		a.Trace)
	complain(a.Redirects < 0, "redirects %d: want 0 or more", a.Redirects)
	complain(a.DeadLetters != nil && !a.Strategy.Spec.Retries,
		"dead-letters: want a strategy that retries, such as retry_queue")
	complain(a.Strategy.Spec.Hedges && a.Session != nil, "strategy %s: it makes a second attempt "+
		"in parallel, but a step of a session is sent only once", a.Strategy)
	if a.through() {
		wrong.Note(a.Strategy.Spec.Validate(a.params()))
	} else {
		complain(given.Limit != 0, "limit %d given, but there is no strategy", a.Limit)
		complain(given.Queue != 0, "queue %d given, but there is no strategy", max(given.Queue, 0))
	}
	return errors.Join(wrong...)
}
