package theory

import (
	"math"
	"testing"
)

func TestKnownOpenQueues(t *testing.T) {
	c := newCheck(t)
	rows(t, "mgk", func(r map[string]float64) {
		a := solve(t, int(r["k"]), r["c2"], r["rho"])
		c.value("mean wait", r, a.MeanWait, r["Wq"], sevenDigits(r["Wq"]))
		c.value("mean response", r, a.MeanResponse, r["T"], sevenDigits(r["T"]))
		c.value("P(wait)", r, a.WaitProb, r["PW"], sevenDigits(r["PW"]))
		for q, name := range map[float64]string{0.5: "p50", 0.9: "p90", 0.99: "p99",
			0.999: "p99.9"} {
			c.quantile(name+" response", r, a.ResponseQuantile, a.ResponseTail, q, r[name],
				sevenDigits(r[name]), slack(r["c2"]))
		}
	})
}

func TestKnownWaits(t *testing.T) {
	c := newCheck(t)
	rows(t, "wait", func(r map[string]float64) {
		a := solve(t, int(r["k"]), r["c2"], r["rho"])
		c.value("mean wait", r, a.MeanWait, r["Wq"], allDigits(r["Wq"]))
		c.value("P(wait)", r, a.WaitProb, r["PW"], allDigits(r["PW"]))
		for q, name := range map[float64]string{0.9: "W90", 0.99: "W99", 0.999: "W999"} {
			c.quantile(name, r, a.WaitQuantile, a.WaitTail, q, r[name],
				1e-9*r[name], slack(r["c2"]))
		}
	})
	rows(t, "long_runs", func(r map[string]float64) {
		a := solve(t, int(r["k"]), r["c2"], r["rho"])
		c.value("mean wait", r, a.MeanWait, r["Wq"], allDigits(r["Wq"]))
		c.quantile("p99 response", r, a.ResponseQuantile, a.ResponseTail, 0.99, r["p99"],
			1e-9*r["p99"], slack(r["c2"]))
	})
}

// H2 with unbalanced branches: means differ by factors up to 1,300, shares are as small as 1e−6.
func TestKnownUnbalanced(t *testing.T) {
	c := newCheck(t)
	rows(t, "equal_c2", func(r map[string]float64) {
		h := H2{P1: r["p_long"], Mean1: r["m_long"], Mean2: r["m_short"]}
		a := must(MH2k(4*r["rho"]/h.Mean(), h, 4))(t)
		c.value("C²", r, h.C2(), r["c2"], 1e-9*r["c2"])
		// The source loses digits as the long branch becomes rare. exact_test.go has 50 digits of
		// two rows.
		c.value("mean wait", r, a.MeanWait, r["Wq"], allDigits(r["Wq"])+3e-14/r["p_long"]*r["Wq"])
	})
}

// The table has the utilisation at which the p99 wait meets an objective, by bisection to 2e−6.
func TestKnownCapacity(t *testing.T) {
	rows(t, "slo", func(r map[string]float64) {
		const width = 2e-6
		if r["c2"] == 0 && r["rho"]+width >= 0.985 {
			return
		}
		below, _ := solve(t, int(r["k"]), r["c2"], r["rho"]-width).WaitQuantile(0.99)
		above, _ := solve(t, int(r["k"]), r["c2"], r["rho"]+width).WaitQuantile(0.99)
		if below > r["slo"] || above < r["slo"] {
			t.Errorf("at %v: p99 wait %g just below, %g just above", r, below, above)
		}
	})
}

func TestKnownMG1(t *testing.T) {
	c := newCheck(t)
	rows(t, "mg1", func(r map[string]float64) {
		a := must(MG1(Pool{r["rho"], 1, 1}, r["c2"]))(t)
		c.value("mean response", r, a.MeanResponse, r["T"], sevenDigits(r["T"])+
			sevenDigits(r["c2"])*a.MeanWait)
	})
}

func TestKnownLoss(t *testing.T) {
	c := newCheck(t)
	rows(t, "loss", func(r map[string]float64) {
		k, queue := int(r["k"]), int(r["Q"])
		a := must(MMkK(Pool{r["rho"] * r["k"], 1, k}, queue))(t)
		c.value("P(shed)", r, a.ShedProb, r["Pshed"], sevenDigits(r["Pshed"]))
		c.value("throughput", r, a.Throughput/r["k"], r["xPerServer"], sevenDigits(r["xPerServer"]))
		c.value("P(wait)", r, a.WaitProb, r["PW"], sevenDigits(r["PW"]))
		c.value("mean wait", r, a.MeanWait, r["Wq"], sevenDigits(r["Wq"]))
		c.value("mean response", r, a.MeanResponse, r["T"], sevenDigits(r["T"]))
		if queue == 0 {
			b := must(MGkk(Pool{r["rho"] * r["k"], 1, k}))(t)
			c.value("Erlang B", r, b.ShedProb, r["Pshed"], sevenDigits(r["Pshed"]))
		}
	})
	// Rejected tasks are retried, so Erlang's B applies to the load of all attempts, which is amp
	// times the load of new tasks.
	rows(t, "retry", func(r map[string]float64) {
		a := r["k"] * r["a_per_k"] * r["amp"]
		b := must(MGkk(Pool{a, 1, int(r["k"])}))(t)
		// dB/da, because amp, too, has only seven digits
		slope := b.ShedProb * (r["k"]/a - 1 + b.ShedProb)
		c.value("Erlang B", r, b.ShedProb, r["Pshed"], sevenDigits(r["Pshed"])+
			slope*a/r["amp"]*sevenDigits(r["amp"]))
	})
}

func TestKnownClosed(t *testing.T) {
	c := newCheck(t)
	rows(t, "closed", func(r map[string]float64) {
		a := must(MMkN(Closed{Clients: int(r["N"]), Think: r["Z"], MeanService: 1,
			Limit: int(r["k"])}))(t)
		c.value("throughput", r, a.Throughput, r["X"], sevenDigits(r["X"]))
		c.value("mean response", r, a.MeanResponse, r["R"], sevenDigits(r["R"]))
		c.value("utilisation", r, a.MeanInFlight/r["k"], r["util"], sevenDigits(r["util"]))
	})
	rows(t, "batch", func(r map[string]float64) {
		m := must(BatchMakespan(int(r["N"]), 1, int(r["k"])))(t)
		c.value("makespan", r, m, r["value"], sevenDigits(r["value"]))
	})
}

// A bucket of b tokens delays a task by the excess of its M/D/1 wait over b−1 tokens.
func TestKnownTokenBucket(t *testing.T) {
	c := newCheck(t)
	rows(t, "bucket", func(r map[string]float64) {
		a := solve(t, 1, 0, r["rho"])
		delayed, _ := a.WaitTail(r["b"] - 1)
		c.value("P(delay)", r, delayed, r["Pdelay"], sevenDigits(r["Pdelay"])+1e-15)
		for q, name := range map[float64]string{0.5: "p50", 0.9: "p90", 0.99: "p99",
			0.999: "p99.9"} {
			wait, _ := a.WaitQuantile(q)
			c.value(name+" delay", r, max(0, wait-(r["b"]-1)), r[name], sevenDigits(r[name]))
		}
	})
}

func TestPublished(t *testing.T) {
	mmk := func(k int, rho float64) *Answer { return must(MMk(Pool{rho * float64(k), 1, k}))(t) }
	lost := func(k int, a float64) float64 { return must(MGkk(Pool{a, 1, k}))(t).ShedProb }
	for _, p := range []struct {
		source    string
		got, want float64
		digit     float64
	}{
		{"Adan and Resing, table 5.1: M/M/1, ρ 0.9, P(W>0)", mmk(1, 0.9).WaitProb, 0.90, 0.01},
		{"… E[W]", mmk(1, 0.9).MeanWait, 9.00, 0.01},
		{"… M/M/2 P(W>0)", mmk(2, 0.9).WaitProb, 0.85, 0.01},
		{"… E[W]", mmk(2, 0.9).MeanWait, 4.26, 0.01},
		{"… M/M/5 P(W>0)", mmk(5, 0.9).WaitProb, 0.76, 0.01},
		{"… E[W]", mmk(5, 0.9).MeanWait, 1.53, 0.01},
		{"… M/M/10 P(W>0)", mmk(10, 0.9).WaitProb, 0.67, 0.01},
		{"… E[W]", mmk(10, 0.9).MeanWait, 0.67, 0.01},
		{"… M/M/20 P(W>0)", mmk(20, 0.9).WaitProb, 0.55, 0.01},
		{"… E[W]", mmk(20, 0.9).MeanWait, 0.28, 0.01},
		{"… table 5.2: M/M/2, ρ 0.95", mmk(2, 0.95).MeanWait, 9.26, 0.01},
		{"… M/M/5, ρ 0.98", mmk(5, 0.98).MeanWait, 9.50, 0.01},
		{"… M/M/10, ρ 0.99", mmk(10, 0.99).MeanWait, 9.64, 0.01},
		{"… M/M/20, ρ 0.995", mmk(20, 0.995).MeanWait, 9.74, 0.01},
		{"Iversen, example 12.3.1: M/M/32, 20 erlang, 100 s", 100 * mmk(32, 20.0/32).MeanWait / 100,
			0.000747, 0.000001},
		{"Erlang B calculator: 17 slots, 9.65160 erlang", lost(17, 9.65160), 0.01, 0.0000001},
		{"… 12.4613 erlang", lost(17, 12.4613), 0.05, 0.000001},
		{"… 25 slots, 16.1245 erlang", lost(25, 16.1245), 0.01, 0.000001},
	} {
		if math.Abs(p.got-p.want) > p.digit {
			t.Errorf("%s: got %.6g, printed %.6g", p.source, p.got, p.want)
		}
	}
}
