// Package front is the part of a report that needs a script: an explorer of the cells of a run.
// Data (data.go) contains its values, and Section (section.go) renders its section of the page.
//
// The script is TypeScript without a framework. `make generate` writes bundle.js by esbuild, and
// spec.json by package charts. A test compares both with fresh ones.
//
// The script draws its charts itself: 370 lines, and 36 kB with all the rest. Observable Plot has
// 305 kB, which a report of 18 pages contains 18 times, styles that the content security policy
// forbids, and neither focus nor labels that avoid each other. uPlot has 53 kB and draws on a
// canvas, which has no text alternatives and no SVG.
package front
