package targets

import (
	"fmt"
	"time"

	"github.com/poolbench/poolbench/bench/param"
	"github.com/poolbench/poolbench/internal/metric"
)

// The defaults are those of www.sec.gov, except the tolerance, which is not published.
var _ = register(Spec{
	Name: "sec_ban",
	Summary: "serves 10 calls a second, and bans a client that ignores refusals: for ten " +
		"minutes, or longer if the client continues",
	Source:     "fair access rules of the SEC's EDGAR; pattern: a worker pool that prevents IP bans",
	RateLimits: true,
	Rate:       windowRate,
	Counts: counters(
		Counter{metric.Bans, "lower", "number of bans of the client"},
		Counter{metric.BannedCalls, "lower",
			"refused calls that were answered with a ban, including the call that caused the ban"}),
	Keys: append(windowKeys("10", "1s"),
		param.Key{Name: "tolerance", Kind: param.Int, Default: "10",
			Doc: "number of successive refused calls without a ban; the next refused call causes " +
				"a ban"},
		param.Key{Name: "ban", Kind: param.Duration, Default: "10m",
			Doc: "time for which the client must stay within the limit before it is served again"}),
	New: func(_ uint64, v param.Values) (Target, error) {
		return limitedBy(NewSECBan(v.Int("limit"), v.Duration("window"), v.Int("tolerance"),
			v.Duration("ban")))
	},
})

// A SECBan is a Policy with refusals and bans for one client. A SlidingWindow admits calls within
// the limit per window and refuses others as TooMany, with the exact time of the next slot. More
// than tolerance refusals in a row start a ban.
//
// A ban ends when the client has kept within the limit for the ban's length. During the ban all
// calls count against the limit although none is served, and a call above the limit restarts the
// ban. After the ban the window is empty.
type SECBan struct {
	window            *SlidingWindow // admitted calls; during a ban, calls within the limit
	tolerance         int
	ban               time.Duration
	refused           int // refusals in a row
	banned            bool
	until             time.Duration // end of the ban
	bans, bannedCalls int64
}

// NewSECBan admits limit calls in any window, as NewSlidingWindow does, and bans after tolerance
// refusals in a row, at least 0.
func NewSECBan(limit int, window time.Duration, tolerance int, ban time.Duration) (*SECBan, error) {
	w, err := NewSlidingWindow(limit, window)
	if err != nil {
		return nil, err
	}
	if tolerance < 0 {
		return nil, fmt.Errorf("tolerance: must be at least 0, got %d", tolerance)
	}
	if err := checkPeriod("ban", ban); err != nil {
		return nil, err
	}
	return &SECBan{window: w, tolerance: tolerance, ban: ban}, nil
}

// Admit implements Policy.
func (p *SECBan) Admit(now time.Duration) Decision {
	if p.banned && now >= p.until {
		p.banned, p.refused = false, 0
		p.window.reset()
	}
	d := p.window.Admit(now)
	switch {
	case !p.banned && d.Admitted:
		p.refused = 0
		return d
	case !p.banned && p.refused < p.tolerance:
		p.refused++
		return d
	case !p.banned:
		p.banned = true
		p.bans++
	}
	if !d.Admitted {
		p.until = now + p.ban
	}
	p.bannedCalls++
	return Decision{RetryAfter: p.until - now, Refusal: Banned}
}

// Quota implements Policy. During a ban Remaining is 0.
func (p *SECBan) Quota(now time.Duration) Quota {
	q := p.window.Quota(now)
	if p.banned {
		q.Remaining, q.Reset = 0, p.until-now
		if now >= p.until {
			q.Remaining, q.Reset = q.Limit, 0
		}
	}
	return q
}

// Counts returns the number of bans, and of calls that a ban refused.
func (p *SECBan) Counts() []Count {
	return []Count{{metric.Bans, p.bans}, {metric.BannedCalls, p.bannedCalls}}
}
