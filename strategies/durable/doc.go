// Package durable has strategies whose queue outlives the process.
package durable
