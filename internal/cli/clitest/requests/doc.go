// Package requests tests HTTP load: attack, gateway, serve, and the live page.
package requests
