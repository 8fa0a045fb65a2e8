//go:build !js

package workloads

import (
	"context"
	"crypto/pbkdf2"
	"crypto/sha256"
	"encoding/binary"

	"github.com/poolbench/poolbench/bench/param"
)

var pbkdf2Iterations = &amount{
	param.Key{Name: "iterations", Kind: param.Int,
		Doc: "iterations per task, instead of mean: the same work on every machine"},
	func(seed uint64, iterations int) counted {
		return &cpuPBKDF2{seed: seed, iterations: iterations}
	},
}

var _ = register(pbkdf2Iterations.spec(Spec{
	Name:    "cpu_pbkdf2",
	Summary: "derives a key from a password with PBKDF2: a computation that cannot be interrupted",
	Source:  "RFC 8018; pattern: long-running crypto operations in a worker pool",
}))

type cpuPBKDF2 struct {
	timeMoments
	seed       uint64
	iterations int
}

// Do checks ctx only before. A task allocates a dozen objects (0.8 kB).
func (w *cpuPBKDF2) Do(ctx context.Context, seq uint64) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	_, err := w.key(seq)
	return err
}

func (w *cpuPBKDF2) key(seq uint64) ([]byte, error) {
	salt := make([]byte, 16)
	binary.LittleEndian.PutUint64(salt[0:], w.seed)
	binary.LittleEndian.PutUint64(salt[8:], seq)
	return pbkdf2.Key(sha256.New, "correct horse battery staple", salt, w.iterations, sha256.Size)
}
