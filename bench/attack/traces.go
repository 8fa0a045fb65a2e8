package attack

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
)

const traceHeader = "Traceparent"

type traceSample struct {
	Share float64
	Seed  uint64
}

func (s traceSample) Has(seq uint64) bool {
	return s.Share > 0 &&
		float64(mixed(mixed(s.Seed^0x7472616365)+seq)) < s.Share*math.Exp2(64)
}

func (s traceSample) ID(seq uint64) string {
	if !s.Has(seq) {
		return ""
	}
	high, low, _ := s.ids(seq)
	return hex.EncodeToString(binary.BigEndian.AppendUint64(
		binary.BigEndian.AppendUint64(nil, high), low))
}

func (s traceSample) Parent(seq uint64) string {
	high, low, span := s.ids(seq)
	return fmt.Sprintf("00-%016x%016x-%016x-01", high, low, span)
}

// No id is zero, because zero is invalid.
func (s traceSample) ids(seq uint64) (high, low, span uint64) {
	high = mixed(mixed(s.Seed) ^ seq)
	low = mixed(high + seq)
	return high | 1, low | 1, mixed(low) | 1
}

// mixed is one step of SplitMix64 (Steele, Lea, Flood, Fast splittable pseudorandom number
// generators, 2014), which decorrelates neighbouring numbers.
func mixed(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
