// Package param parses and formats variants with their parameters, such as semaphore or
// closed:clients=8,think=exp(100ms). Names are in lower_snake, keys are lower-case letters and
// digits. Commas inside parentheses belong to the value. Values contain no white space.
//
// Parse splits the text before the variant is known. Resolve checks the parts against the Keys of
// the variant. Values.Canonical is the inverse: it omits defaults and normalises values.
//
//	call, err := param.Parse("hyperexp:c2=4")
//	values, err := param.Resolve(spec.Keys, call.Args)
//	values.Duration("mean") // 10ms, the default
//	values.Spell(call.Name) // hyperexp:c2=4
//
// Errors are one line that names the key. Reading an undeclared key panics.
package param
