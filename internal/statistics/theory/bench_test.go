package theory

import (
	"fmt"
	"testing"
)

func BenchmarkModels(b *testing.B) {
	for _, k := range []int{1, 4, 16, 64} {
		p := Pool{Rate: 0.9 * float64(k), MeanService: 1, Limit: k}
		h := must(BalancedH2(1, 16))(b)
		for _, m := range []struct {
			name string
			make func() (*Answer, error)
		}{
			{"mmk", func() (*Answer, error) { return MMk(p) }},
			{"mdk", func() (*Answer, error) { return MDk(p) }},
			{"mh2k", func() (*Answer, error) { return MH2k(p.Rate, h, k) }},
			{"mmkk", func() (*Answer, error) { return MMkK(p, 4*k) }},
			{"mmkn", func() (*Answer,
				error) {
				return MMkN(Closed{Clients: 5 * k, Think: 4, MeanService: 1, Limit: k})
			}},
		} {
			b.Run(fmt.Sprintf("model=%s/limit=%d/part=make", m.name, k), func(b *testing.B) {
				for b.Loop() {
					if _, err := m.make(); err != nil {
						b.Fatal(err)
					}
				}
			})
			b.Run(fmt.Sprintf("model=%s/limit=%d/part=p99", m.name, k), func(b *testing.B) {
				a := must(m.make())(b)
				for b.Loop() {
					a.ResponseQuantile(0.99)
				}
			})
		}
	}
}
