package flame

import _ "embed"

// Script adds to each picture of a page a field that looks for functions, and says what the found
// ones take. The pictures are complete without it.
//
//go:embed flame.js
var Script string
