// Package front is the part of a report that needs a script: an explorer of the cells of a run.
// Data (data.go) contains its values, and Section (section.go) renders its section of the page.
//
// The script is TypeScript without a framework. `make generate` writes bundle.js by esbuild, and
// spec.json by package charts. A test compares both with fresh ones.
package front
