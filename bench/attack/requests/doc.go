// Package requests makes the requests of an attack: from templates with data, from command lines of
// curl and from HAR files.
package requests
