// Package requests tests HTTP loads: attack, gateway, serve, and the page of a run under way.
package requests
