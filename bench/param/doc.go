// Package param parses and formats variants with their parameters, for the command line, scenario
// files and names of results:
//
//	semaphore
//	hyperexp:mean=10ms,c2=16
//	closed:clients=8,think=exp(100ms)
//
// A variant is a name in lower_snake, followed by a colon and its parameters, key=value, separated
// by commas. Keys are lower-case letters and digits. Commas inside parentheses belong to the value.
// Values contain no white space, since names of results, which contain them, must not.
//
// There are two steps, because the text is known before the variant. Parse splits the text. Resolve
// checks the parts against the Keys of the variant and returns Values, in which every key has a
// value. Values.Canonical is the inverse, in a unique form: parameters at their defaults are
// omitted, and 0.01s is 10ms.
//
//	call, err := param.Parse("hyperexp:c2=4")
//	values, err := param.Resolve(spec.Keys, call.Args)
//	values.Duration("mean") // 10ms, the default
//	values.Spell(call.Name) // hyperexp:c2=4
//
// Errors are mistakes of users, in one line that names the key. Reading an undeclared key is a
// programming error, and panics.
package param
