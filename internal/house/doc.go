// Package house keeps the rules of this module that no compiler checks, as tests: who may import
// whom, who may print, and that every exported name says what it is for. It has no code of its own.
//
//	cmd ──► internal/studies ──► bench ──► strategies, workloads, targets ──► internal/…
//	 │            └──► reports                                                  ▲
//	 └──► reports ──────────────────────────────────────────────────────────────┘
//
// strategies, workloads and targets are leaves: they know nothing of each other, nor of bench.
// reports never imports bench: the files of a run are their joint, so that a file from anywhere
// else is as good.
package house
