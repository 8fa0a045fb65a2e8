package rpc_test

import (
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/attack/checks"
	"github.com/poolbench/poolbench/internal/project/need"
)

func startNginx(t *testing.T, ca authority, directives string) (url string) {
	t.Helper()
	if testing.Short() {
		t.Skip("it starts nginx")
	}
	nginx, err := exec.LookPath("nginx")
	if err != nil {
		if nginx, err = exec.LookPath("/usr/sbin/nginx"); err != nil {
			need.Skip(t, err)
		}
	}
	dir := t.TempDir()
	cert, key := ca.pair(t, x509.Certificate{DNSNames: []string{"shop.example"}})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	_ = listener.Close() // nginx uses its port
	for name, text := range map[string]string{"cert.pem": string(cert), "key.pem": string(key),
		"ca.pem": string(ca.pem), "nginx.conf": strings.NewReplacer("DIR", dir, "ADDRESS",
			address).Replace(strings.Replace(nginxConf, "DIRECTIVES", directives, 1))} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	server := exec.Command(nginx, "-e", filepath.Join(dir, "error.log"), "-c",
		filepath.Join(dir, "nginx.conf"))
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = server.Process.Signal(os.Interrupt); _ = server.Wait() })
	for range 500 {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			return "https://" + address
		}
		time.Sleep(20 * time.Millisecond)
	}
	said, _ := os.ReadFile(filepath.Join(dir, "error.log"))
	t.Fatalf("nginx does not start: %s", said)
	return ""
}

const nginxConf = `daemon off;
master_process off;
pid DIR/pid;
error_log DIR/error.log;
events { worker_connections 8192; }
http {
  access_log off;
  client_body_temp_path DIR/1;
  proxy_temp_path DIR/2;
  fastcgi_temp_path DIR/3;
  uwsgi_temp_path DIR/4;
  scgi_temp_path DIR/5;
  server {
    listen ADDRESS ssl http2;
    ssl_certificate DIR/cert.pem;
    ssl_certificate_key DIR/key.pem;
    DIRECTIVES
  }
}
`

func TestNginxCertificate(t *testing.T) {
	ca := newAuthority(t)
	url := startNginx(t, ca, `ssl_client_certificate DIR/ca.pem;
    ssl_verify_client on;
    location / { return 200 "$ssl_client_s_dn $ssl_server_name"; }`)
	a := attack.Attack{Clients: 1, Tasks: 3, Checks: checks.List{}, TLS: attack.TLS{CA: ca.pem,
		ServerName: "shop.example"}, Requests: []attack.Request{{Method: "GET", URL: url}}}
	a.TLS.Cert, a.TLS.Key = ca.pair(t, x509.Certificate{Subject: pkix.Name{CommonName: "client"}})
	check, err := checks.Parse(`body contains "CN=client shop.example"`)
	if err != nil {
		t.Fatal(err)
	}
	a.Checks = append(a.Checks, check)
	r, err := attack.Run(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if failed, _ := r.Metric("failed/op"); failed != 0 {
		t.Errorf("%v %v", r.Statuses, r.Errors)
	}
	a.TLS.Cert, a.TLS.Key = nil, nil
	r, err = attack.Run(t.Context(), a)
	if _, nobody := errors.AsType[*attack.NobodyError](err); err != nil && !nobody ||
		len(r.Statuses) != 1 || r.Statuses[0].What != "400" {
		t.Errorf("without a certificate: %v, %v", r, err)
	}
}

// nginx permits eight streams and a few requests per connection.
func TestNginxEndsConnections(t *testing.T) {
	ca := newAuthority(t)
	url := startNginx(t, ca, `keepalive_requests 100;
    http2_max_concurrent_streams 8;
    location / { return 200 "ok"; }`)
	for _, http2 := range []bool{false, true} {
		for _, open := range []bool{false, true} {
			a := attack.Attack{Tasks: 1000, Resend: true, HTTP2: http2,
				TLS:      attack.TLS{CA: ca.pem, ServerName: "shop.example"},
				Requests: []attack.Request{{Method: "GET", URL: url}}}
			if a.Clients = 20; open {
				a.Clients, a.Rate = 0, 500
			}
			r, err := attack.Run(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			failed, _ := r.Metric("failed/op")
			opened, _ := r.Metric("connections/op")
			if failed != 0 || opened*1000 < 10 {
				t.Errorf("HTTP/2 %t, open %t: %v failed, %v connections, %v", http2, open, failed,
					opened, r.Errors)
			}
		}
	}
}
