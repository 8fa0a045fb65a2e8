package attack

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
)

// TLS configures the security of connections. The zero value has no client certificate and trusts
// the system's CAs.
type TLS struct {
	Cert, Key  []byte `json:",omitempty"` // client certificate as PEM; nil: none
	CA         []byte `json:",omitempty"` // as PEM; nil: the system's
	ServerName string `json:",omitempty"` // SNI, and the name to verify; "": Host header, or URL
	MinVersion uint16 `json:",omitempty"` // such as tls.VersionTLS13; 0: TLS 1.2
}

func (t TLS) config() (*tls.Config, error) {
	c := &tls.Config{MinVersion: t.MinVersion}
	if t.Cert != nil || t.Key != nil {
		pair, err := tls.X509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("cert: %w", err)
		}
		c.Certificates = []tls.Certificate{pair}
	}
	if t.CA != nil {
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(t.CA) {
			return nil, errors.New("ca: it has no certificate in PEM")
		}
	}
	return c, nil
}

func (t TLS) check() error {
	if strings.ContainsFunc(t.ServerName, func(c rune) bool { return c <= ' ' || c == '/' }) {
		return fmt.Errorf("sni %q: want the name of a host", t.ServerName)
	}
	_, err := t.config()
	return err
}

// A Resolve replaces the lookup of a host and port, like curl's --resolve.
type Resolve struct {
	Host, Port string // Host * matches every host
	Addresses  []string
}

// ParseResolve parses HOST:PORT:ADDR[,ADDR]... An IPv6 address may have brackets.
func ParseResolve(text string) (Resolve, error) {
	host, rest := text, ""
	if behind, ok := strings.CutPrefix(text, "["); ok {
		host, rest, _ = strings.Cut(behind, "]")
		rest = strings.TrimPrefix(rest, ":")
	} else {
		host, rest, _ = strings.Cut(text, ":")
	}
	port, addresses, ok := strings.Cut(rest, ":")
	if n, err := strconv.ParseUint(port, 10, 16); !ok || host == "" || err != nil || n == 0 {
		return Resolve{}, fmt.Errorf("%q: want HOST:PORT:ADDRESS, such as "+
			"shop.example:443:127.0.0.1", text)
	}
	r := Resolve{Host: host, Port: port}
	for a := range strings.SplitSeq(addresses, ",") {
		ip, err := netip.ParseAddr(strings.Trim(strings.TrimSpace(a), "[]"))
		if err != nil {
			return r, fmt.Errorf("%q: %q is no IP address", text, a)
		}
		r.Addresses = append(r.Addresses, ip.String())
	}
	return r, nil
}

func (r Resolve) String() string {
	host := r.Host
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + r.Port + ":" + strings.Join(r.Addresses, ",")
}

// Addresses returns the addresses to connect to: address itself unless Resolve has others. An entry
// for the host precedes one for *, and a later one an earlier one.
func (a *Attack) Addresses(address string) []string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return []string{address}
	}
	for _, name := range []string{host, "*"} {
		for _, r := range slices.Backward(a.Resolve) {
			if strings.EqualFold(r.Host, name) && r.Port == port {
				var all []string
				for _, ip := range r.Addresses {
					all = append(all, net.JoinHostPort(ip, port))
				}
				return all
			}
		}
	}
	return []string{address}
}

type connect = func(ctx context.Context, network, address string) (net.Conn, error)

func (a *Attack) resolving(to connect) connect {
	if len(a.Resolve) == 0 {
		return to
	}
	return func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		for _, at := range a.Addresses(address) {
			if conn, err = to(ctx, network, at); err == nil || ctx.Err() != nil {
				break
			}
		}
		return conn, err
	}
}

type serverNames struct {
	given string
	hosts map[string]bool // of the requests of the attack
}

func (a *Attack) serverNames() serverNames {
	s := serverNames{given: a.TLS.ServerName, hosts: map[string]bool{}}
	for _, r := range a.Requests {
		origin, _ := cutOrigin(r.URL)
		if u, err := url.Parse(origin); err == nil {
			s.hosts[u.Host] = true
		}
	}
	return s
}

// serverName returns the SNI. After a redirect to another host it is that host.
func (s serverNames) serverName(r *http.Request) (string, error) {
	if s.given != "" && s.hosts[r.URL.Host] {
		return s.given, nil
	}
	u := r.URL
	if r.Host != "" && r.Host != u.Host {
		named, err := url.Parse("//" + r.Host)
		if err == nil && named.Hostname() != "" {
			u = named
		}
	}
	return nameOfHost(u)
}

func hostKey(r *http.Request, name string) string {
	if name == r.URL.Hostname() {
		return r.URL.Host
	}
	return r.URL.Host + " " + name
}

// name is "" if the SNI is the host of the URLs.
func (s serverNames) common(all []message) (name string) {
	for i, m := range all {
		other, err := s.serverName(m.built)
		if err != nil || other == m.built.URL.Hostname() || i > 0 && other != name {
			return ""
		}
		name = other
	}
	return name
}
