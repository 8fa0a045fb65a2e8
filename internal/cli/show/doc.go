// Package show writes to the terminal what runs, searches and attacks found.
package show
