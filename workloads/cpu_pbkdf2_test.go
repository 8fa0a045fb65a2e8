package workloads

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"testing"
)

// The key must equal the first block of RFC 8018: the exclusive or of a chain of HMACs.
func TestKeyIsTheTasks(t *testing.T) {
	reference := func(seed, seq uint64, iterations int) (key [32]byte) {
		message := binary.LittleEndian.AppendUint64(nil, seed)
		message = binary.LittleEndian.AppendUint64(message, seq)
		message = append(message, 0, 0, 0, 1)
		for range iterations {
			mac := hmac.New(sha256.New, []byte("correct horse battery staple"))
			mac.Write(message)
			message = mac.Sum(nil)
			for i := range key {
				key[i] ^= message[i]
			}
		}
		return key
	}
	for _, c := range []struct {
		seed, seq  uint64
		iterations int
	}{{1, 2, 1}, {1, 2, 100}, {1, 3, 100}, {2, 2, 100}} {
		got, err := (&cpuPBKDF2{seed: c.seed, iterations: c.iterations}).key(c.seq)
		if want := reference(c.seed, c.seq, c.iterations); err != nil || [32]byte(got) != want {
			t.Errorf("%+v: key %x, %v; want %x", c, got, err, want)
		}
	}
}
