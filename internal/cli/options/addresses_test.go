package options

import (
	"testing"
)

func TestCheckAddress(t *testing.T) {
	for addr, ok := range map[string]bool{
		"127.0.0.1:0": true, "127.9.9.9:80": true, "[::1]:80": true, "localhost:80": true,
		":80": false, "0.0.0.0:80": false, "[::]:80": false, "192.168.1.1:80": false,
		"example.org:80": false, "127.0.0.1": false, "": false,
	} {
		if err := CheckAddress(addr, false); (err == nil) != ok {
			t.Errorf("%q: %v", addr, err)
		}
	}
	if err := CheckAddress("0.0.0.0:80", true); err != nil {
		t.Error(err)
	}
}
