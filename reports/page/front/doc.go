// Package front is the part of a page that needs a script: an explorer of the cells of a run.
//
// Data (data.go) is what it draws from, and Section (section.go) its part of the page. The script
// is TypeScript without a framework; the file bundle.js is made of it by esbuild, and spec.json by
// package charts, both in `make generate`. A test compares them with fresh ones.
package front
