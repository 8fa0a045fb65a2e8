// Package house keeps the rules of this module that no compiler checks, as tests: who may import
// whom, who may print, and that every exported name says what it is for. It has no code of its own.
//
// CONTRIBUTING has the picture. strategies, workloads and targets are leaves: they know nothing of
// each other, nor of package bench. reports never imports it either: the files of a run are their
// joint, so that a file from anywhere else is as good.
package house
