// Package recorded formats poolbench trace's description of recorded traffic.
package recorded
