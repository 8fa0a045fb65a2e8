// Package param parses and writes variants with their parameters, as they stand on the command
// line, in scenario files and in the names of results:
//
//	semaphore
//	hyperexp:mean=10ms,c2=16
//	closed:clients=8,think=exp(100ms)
//
// A variant is a name in lower_snake; its parameters follow a colon, key=value, separated by
// commas. Keys are lower-case letters and digits. Commas inside parentheses belong to the value.
// Values have no white space, so that a result's name, which carries them, has none either.
//
// Reading goes in two steps, because the text is known before the variant is. Parse takes the text
// apart; Resolve checks the parts against the Keys that the variant declares and gives Values, in
// which every key has a value. Values.Canonical is the way back, to one spelling: parameters at
// their defaults are left out, and 0.01s is 10ms.
//
//	call, err := param.Parse("hyperexp:c2=4")
//	values, err := param.Resolve(spec.Keys, call.Args)
//	values.Duration("mean") // 10ms, the default
//	values.Spell(call.Name) // hyperexp:c2=4
//
// Errors from here are the user's mistakes, in one line that names the key. A key that the code
// asks for and the variant does not declare is the programmer's, and panics.
package param
