package page

import (
	"slices"
	"testing"
)

func TestStageEnds(t *testing.T) {
	for name, want := range map[string][]float64{
		"poisson":                             nil,
		"stages":                              nil,
		"stages:at=1x1m":                      {},
		"stages:at=0.6x20s_1.4x10s_0.6x1m30s": {20, 30},
		"stages:at=5x1m_9x1m,unit=rate,of=bulk(n=10)": {60},
		"stages:at=0..5x2s_5x1s_5..0x3s,unit=rate":    {2, 3},
		"stages:at=1x2s_1xodd":                        nil,
	} {
		if got := stageEnds(name); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}
