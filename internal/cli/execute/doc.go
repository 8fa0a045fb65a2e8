// Package execute carries out runs and attacks: in this process, in child processes and on other
// machines. It shows their progress and writes their files and test suites.
package execute
