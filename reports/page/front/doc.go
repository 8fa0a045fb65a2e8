// Package front is the explorer of the results, the part of a report that needs a script. Data
// (data.go) contains its values. Section (section.go) renders its section of the page.
//
// The script is TypeScript without a framework. `make generate` writes bundle.js by esbuild, and
// spec.json by package charts. A test checks that both are up to date.
//
// The script draws its charts itself, in 370 lines of 36 kB in total. Observable Plot has 305 kB,
// which a report repeats on every page, styles that the content security policy forbids, no focus,
// and labels that overlap. uPlot has 53 kB and draws on a canvas, without text alternatives.
package front
