// Package front is the explorer, the part of a report that needs a script. Section renders it from
// Data. `make generate` compiles the script from TypeScript by esbuild.
//
// The script draws its charts in 36 kB. Observable Plot has 305 kB, which each page would repeat,
// and styles that the content security policy forbids. uPlot has 53 kB and draws on a canvas,
// without text alternatives.
package front
