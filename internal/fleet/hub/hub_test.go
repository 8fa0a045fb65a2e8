package hub

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func connects(t *testing.T, address string) error {
	t.Helper()
	conn, err := Connect(address)
	if err == nil {
		conn.Close()
	}
	return err
}

// The server must listen on loopback only and require the token.
func TestLocal(t *testing.T) {
	l, err := StartLocal()
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(l.dir.Path); !os.IsNotExist(err) {
			t.Errorf("%s is left: %v", l.dir.Path, err)
		}
	}()
	if err := connects(t, l.Address); err != nil {
		t.Error(err)
	}
	without := l.server.ClientURL()
	if !strings.HasPrefix(without, "nats://127.0.0.1:") {
		t.Errorf("it listens at %s", without)
	}
	if err := connects(t, without); err == nil || !strings.Contains(err.Error(), "uthorization") {
		t.Errorf("without the token: %v", err)
	}
	token, _, _ := strings.Cut(strings.TrimPrefix(l.Address, "nats://"), "@")
	t.Setenv("NATS_TOKEN", token)
	if err := connects(t, without); err != nil {
		t.Errorf("with the token in the environment: %v", err)
	}
}

func TestTLS(t *testing.T) {
	web := httptest.NewTLSServer(nil) // for its certificate
	defer web.Close()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT,
		NoSigs: true, NoLog: true, TLS: true, Username: "me", Password: "secret",
		TLSConfig: &tls.Config{Certificates: web.TLS.Certificates}})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	defer s.WaitForShutdown()
	defer s.Shutdown()
	if !s.ReadyForConnections(starting) {
		t.Fatal("it is not ready")
	}
	address := strings.Replace(s.ClientURL(), "nats://", "tls://", 1)
	if err := connects(t, address); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("without its certificate: %v", err)
	}
	ca := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(ca, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE",
		Bytes: web.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("NATS_CA", ca)
	if err := connects(t, address); err == nil || !strings.Contains(err.Error(), "uthorization") {
		t.Errorf("without a user: %v", err)
	}
	t.Setenv("NATS_USER", "me")
	t.Setenv("NATS_PASSWORD", "secret")
	if err := connects(t, address); err != nil {
		t.Error(err)
	}
	t.Setenv("NATS_NKEY", filepath.Join(t.TempDir(), "none"))
	if err := connects(t, address); err == nil || !strings.Contains(err.Error(), "NATS_NKEY") {
		t.Errorf("with a seed that is not there: %v", err)
	}
}

func TestShown(t *testing.T) {
	for address, want := range map[string]string{
		"nats://127.0.0.1:4222":                  "nats://127.0.0.1:4222",
		"nats://me:p%40ss@a:1, tls://token@b:2":  "nats://a:1,tls://b:2",
		"token@somewhere":                        "nats://somewhere",
		"nats://me:p@s/s@host:1":                 "nats://host:1",
		"nats://me:p%zz@host:1,ws://[::1]:5/far": "nats://host:1,ws://[::1]:5",
	} {
		if got := Shown(address); got != want {
			t.Errorf("%s is shown as %s, want %s", address, got, want)
		}
	}
}

func TestCheck(t *testing.T) {
	for address, good := range map[string]bool{
		"nats://a:1": true, "tls://x@a:1,wss://b": true, "a:1": false, "nats://": false, "": false,
		"http://a:1": false, "nats://a:1,": false, "nats://a:b": false,
	} {
		if err := Check(address); (err == nil) != good {
			t.Errorf("%q: %v", address, err)
		}
	}
}

// Await must retry while there is no server, and fail if the server rejects the client.
func TestAwait(t *testing.T) {
	free, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	at := free.Addr().String()
	if err := free.Close(); err != nil {
		t.Fatal(err)
	}
	waits := make(chan error, 9)
	waiting := func(err error) { waits <- err }
	var s *Local
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	started := make(chan error, 1)
	go func() {
		err := <-waits
		if !strings.Contains(err.Error(), at) {
			t.Errorf("waits: %v", err)
		}
		s, err = StartAt(at, "token")
		started <- err
	}()
	conn, err := Await(t.Context(), "nats://token@"+at, waiting)
	if started := <-started; started != nil {
		t.Fatal(started)
	}
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if len(waits) > 0 {
		t.Errorf("it says again: %v", <-waits)
	}
	if _, err := Await(t.Context(), "nats://"+at, waiting); err == nil ||
		!strings.Contains(err.Error(), "uthorization") {
		t.Errorf("without the token: %v", err)
	}
	for _, none := range []string{"nats://127.0.0.1:1", "nats://none.invalid:4222"} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := Await(ctx, none, func(error) { cancel() })
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", none, err)
		}
	}
}
