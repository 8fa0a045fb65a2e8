// Package options has the flags of the commands, and makes scenarios, attacks and plans of them.
package options
