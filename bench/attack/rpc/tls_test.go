package rpc_test

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	quic "github.com/quic-go/quic-go/http3"

	"github.com/poolbench/poolbench/bench/attack"
	_ "github.com/poolbench/poolbench/bench/attack/http3"
	"github.com/poolbench/poolbench/targets/rpc"
)

type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
	pem  []byte
}

func newAuthority(t *testing.T) authority {
	a := authority{cert: &x509.Certificate{Subject: pkix.Name{CommonName: "test CA"}, IsCA: true,
		BasicConstraintsValid: true}}
	a.pem, a.key = a.sign(t, a.cert, nil)
	return a
}

// sign signs a new key's certificate by the authority, or by that key if parent is nil.
func (a authority) sign(
	t *testing.T, c *x509.Certificate, parent *x509.Certificate,
) (cert []byte, key *ecdsa.PrivateKey) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	by := a.key
	if parent == nil {
		parent, by = c, key
	}
	c.SerialNumber = big.NewInt(1)
	if c.NotAfter.IsZero() {
		c.NotBefore, c.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	}
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, by)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), key
}

func (a authority) pair(t *testing.T, c x509.Certificate) (cert, key []byte) {
	t.Helper()
	cert, private := a.sign(t, &c, a.cert)
	der, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return cert, pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der})
}

// secured counts requests by client certificate, SNI, TLS version and host.
type secured struct {
	address, packets string // of TCP and UDP
	mu               sync.Mutex
	seen             map[string]int
}

func (s *secured) note(r *http.Request) {
	client := "nobody"
	if len(r.TLS.PeerCertificates) > 0 {
		client = r.TLS.PeerCertificates[0].Subject.CommonName
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	host, _, _ := strings.Cut(r.Host, ":")
	s.seen[fmt.Sprintf("%s %s %s %s %s", r.Proto, client, r.TLS.ServerName,
		tls.VersionName(r.TLS.Version), host)]++
}

// noted returns the counts and resets them.
func (s *secured) noted() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := s.seen
	s.seen = map[string]int{}
	return seen
}

func serveSecured(t *testing.T, config *tls.Config) *secured {
	t.Helper()
	s := &secured{seen: map[string]int{}}
	remote := rpc.Handler(through{new(atomic.Int64)},
		func(context.Context, uint64) error { return nil })
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "ServerReflection") {
			remote.ServeHTTP(w, r)
			return
		}
		s.note(r)
		if strings.HasPrefix(r.Header.Get("Content-Type"), "application/grpc") {
			remote.ServeHTTP(w, r)
		}
	})
	server := httptest.NewUnstartedServer(handler)
	server.EnableHTTP2, server.TLS = true, config.Clone()
	server.Config.ErrorLog = log.New(io.Discard, "", 0) // failed handshakes
	server.StartTLS()
	t.Cleanup(server.Close)
	s.address = server.Listener.Addr().String()
	s.packets = serveHTTP3(t, config, handler)
	return s
}

func serveHTTP3(t *testing.T, config *tls.Config, handler http.Handler) (address string) {
	t.Helper()
	socket, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	over := &quic.Server{TLSConfig: quic.ConfigureTLSConfig(config), Handler: handler}
	var serving sync.WaitGroup
	serving.Go(func() { _ = over.Serve(socket) })
	t.Cleanup(func() {
		_, _ = over.Close(), socket.Close()
		serving.Wait()
	})
	return socket.LocalAddr().String()
}

var securedWays = []struct {
	proto string
	with  attack.Attack
	url   string
}{
	{proto: "HTTP/1.1", url: "https://%s/"},
	{proto: "HTTP/2.0", with: attack.Attack{HTTP2: true}, url: "https://%s/"},
	{proto: "HTTP/3.0", with: attack.Attack{HTTP3: true}, url: "https://%s/"},
	{proto: "gRPC", url: "grpcs://%s/poolbench.v1.Target/Call"},
}

func TestTLS(t *testing.T) {
	ca := newAuthority(t)
	cert, key := ca.pair(t, x509.Certificate{Subject: pkix.Name{CommonName: "server"},
		DNSNames: []string{"shop.example", "inn.example"}, IPAddresses: []net.IP{{127, 0, 0, 1}}})
	pair, err := tls.X509KeyPair(cert, key)
	if err != nil {
		t.Fatal(err)
	}
	clients := x509.NewCertPool()
	clients.AddCert(mustParse(t, ca.pem))
	s := serveSecured(t, &tls.Config{Certificates: []tls.Certificate{pair}, ClientCAs: clients,
		ClientAuth: tls.VerifyClientCertIfGiven})
	cert, key = ca.pair(t, x509.Certificate{Subject: pkix.Name{CommonName: "client"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}})
	for _, way := range securedWays {
		address := s.address
		if way.with.HTTP3 {
			address = s.packets
		}
		_, port, err := net.SplitHostPort(address)
		if err != nil {
			t.Fatal(err)
		}
		to := []attack.Resolve{{Host: "shop.example", Port: port, Addresses: []string{"127.0.0.1"}}}
		elsewhere := []attack.Resolve{to[0], {Host: "*", Port: port, Addresses: []string{"::1"}}}
		for name, c := range map[string]struct {
			host   string
			with   attack.TLS
			to     []attack.Resolve
			header string
			want   string // client, SNI, version and host
		}{
			"certificate": {host: "127.0.0.1", with: attack.TLS{Cert: cert, Key: key},
				want: "client  TLS 1.3 127.0.0.1"},
			"1.3": {host: "127.0.0.1", with: attack.TLS{MinVersion: tls.VersionTLS13},
				want: "nobody  TLS 1.3 127.0.0.1"},
			"resolved": {host: "shop.example", to: elsewhere,
				want: "nobody shop.example TLS 1.3 shop.example"},
			"SNI": {host: "127.0.0.1", with: attack.TLS{ServerName: "inn.example"},
				want: "nobody inn.example TLS 1.3 127.0.0.1"},
			"Host": {host: "127.0.0.1", header: "inn.example:81",
				want: "nobody inn.example TLS 1.3 inn.example"},
			"SNI and Host": {host: "shop.example", to: to, header: "shop.example",
				with: attack.TLS{Cert: cert, Key: key, ServerName: "inn.example"},
				want: "client inn.example TLS 1.3 shop.example"},
		} {
			a, proto := way.with, way.proto
			if proto == "gRPC" {
				if c.header != "" {
					continue // gRPC rejects a Host header
				}
				proto = "HTTP/2.0"
			}
			a.Clients, a.Tasks, a.TLS, a.Resolve = 2, 4, c.with, c.to
			a.TLS.CA = ca.pem
			a.Requests = []attack.Request{{Method: "GET",
				URL: fmt.Sprintf(way.url, net.JoinHostPort(c.host, port))}}
			if c.header != "" {
				a.Requests[0].Header = http.Header{"Host": {c.header}}
			}
			s.noted()
			r, err := attack.Run(t.Context(), a)
			if err != nil {
				t.Errorf("%s, %s: %v", way.proto, name, err)
				continue
			}
			seen := s.noted()
			if n := seen[proto+" "+c.want]; n != 4 || len(seen) != 1 || len(r.Errors) > 0 {
				t.Errorf("%s, %s: %v, %v", way.proto, name, seen, r.Errors)
			}
		}
	}
}

func TestTLSFailures(t *testing.T) {
	ca := newAuthority(t)
	shop := x509.Certificate{Subject: pkix.Name{CommonName: "server"},
		DNSNames: []string{"shop.example", "a", "b", "c", "d"}}
	here := shop
	here.IPAddresses = []net.IP{{127, 0, 0, 1}}
	old := here
	old.NotBefore = time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	old.NotAfter = time.Date(2021, 2, 3, 0, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		cert   x509.Certificate
		server *tls.Config
		with   attack.TLS
		skip   bool // certificates are not verified
		want   string
		tcp    bool // no UDP
	}{
		"authority": {cert: here, want: "TLS: the server's certificate is signed by an unknown " +
			"authority (test CA): give --ca or -k"},
		"name": {cert: shop, with: attack.TLS{CA: ca.pem}, want: "TLS: the server's certificate " +
			"is for shop.example a b and 2 more and not for 127.0.0.1: give --sni or -k"},
		"expired": {cert: old, with: attack.TLS{CA: ca.pem},
			want: "TLS: the server's certificate expired on 2021-02-03"},
		"client": {cert: shop, server: &tls.Config{ClientAuth: tls.RequireAnyClientCert}, skip: true,
			want: "TLS: the server requires a client certificate: give --cert"},
		"client 1.2": {cert: shop, skip: true, tcp: true,
			server: &tls.Config{ClientAuth: tls.RequireAnyClientCert,
				MaxVersion: tls.VersionTLS12},
			want: "TLS: the server requires a client certificate: give --cert"},
		"version": {cert: shop, skip: true, tcp: true,
			server: &tls.Config{MaxVersion: tls.VersionTLS12},
			with:   attack.TLS{MinVersion: tls.VersionTLS13},
			want:   "TLS: no common TLS version: the server supports none that --tls-min allows"},
	} {
		cert, key := ca.pair(t, c.cert)
		pair, err := tls.X509KeyPair(cert, key)
		if err != nil {
			t.Fatal(err)
		}
		config := c.server
		if config == nil {
			config = new(tls.Config)
		}
		config.Certificates = []tls.Certificate{pair}
		s := serveSecured(t, config)
		for _, way := range securedWays {
			a, address := way.with, s.address
			if a.HTTP3 {
				address = s.packets
			}
			if a.HTTP3 && c.tcp {
				continue // QUIC requires TLS 1.3
			}
			a.Clients, a.Tasks, a.TLS, a.Insecure = 1, 1, c.with, c.skip
			a.Requests = []attack.Request{{Method: "GET", URL: fmt.Sprintf(way.url, address)}}
			got := ""
			if r, err := attack.Run(t.Context(), a); err != nil {
				got = err.Error()
			} else if len(r.Errors) == 1 {
				got = r.Errors[0].What
			}
			if !strings.HasSuffix(got, c.want) {
				t.Errorf("%s, %s: %q, want %q", way.proto, name, got, c.want)
			}
		}
	}
}

func mustParse(t *testing.T, text []byte) *x509.Certificate {
	t.Helper()
	block, _ := pem.Decode(text)
	c, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
