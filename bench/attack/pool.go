package attack

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/poolbench/poolbench/internal/transport"
)

type host struct {
	address string
	tls     *tls.Config // nil: plain
	most    int         // maximum wires; 0: no limit

	transport.Waiting[*wire]
	made int
	idle []*wire // the last used last
}

func (c *caller) newConns(give context.CancelCauseFunc) *connSet {
	a := c.attack
	o := connOptions{Connect: a.dial, Hosts: len(c.names.hosts), Give: give, Calls: c.calls}
	if o.Connect == nil {
		o.Connect = new(net.Dialer).DialContext
	}
	c.hosts = a.newNames(o.Connect)
	if a.dial == nil && a.UnixSocket == "" {
		o.Connect = c.hosts.connect
	}
	o.Connect = a.resolving(o.Connect)
	if connect := o.Connect; a.UnixSocket != "" {
		o.Hosts = 1
		o.Connect = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return connect(ctx, "unix", a.UnixSocket)
		}
	}
	return newSet(o)
}

func (all *wiring) host(r *http.Request) (*host, error) {
	secure := r.URL.Scheme == "https"
	_, address, err := addressOf(r.URL, secure)
	if err != nil {
		return nil, err
	}
	key, name := r.URL.Scheme+"://"+address, ""
	if secure {
		if name, err = all.names.serverName(r); err != nil {
			return nil, err
		}
		key += " " + name
	}
	all.mu.Lock()
	defer all.mu.Unlock()
	h := all.hosts[key]
	if h == nil {
		h = &host{address: address, most: all.attack.Connections}
		if secure {
			h.tls = all.tls.Clone()
			h.tls.ServerName = name
		}
		all.hosts[key] = h
	}
	return h, nil
}

func addressOf(u *url.URL, secure bool) (name, address string, err error) {
	port := "80"
	if secure {
		port = "443"
	}
	name, err = nameOfHost(u)
	return name, net.JoinHostPort(name, cmp.Or(u.Port(), port)), err
}

func nameOfHost(u *url.URL) (string, error) {
	name := u.Hostname()
	if strings.ContainsFunc(name, func(c rune) bool { return c > unicode.MaxASCII }) {
		return inASCII(name)
	}
	return name, nil
}

func inASCII(host string) (string, error) {
	var b bytes.Buffer
	r := http.Request{URL: &url.URL{Host: host, Path: "/"}}
	if err := r.Write(&b); err != nil {
		return "", err
	}
	sent, err := http.ReadRequest(bufio.NewReader(&b))
	if err != nil {
		return "", err
	}
	return sent.Host, nil
}

func (h *host) acquire(
	ctx context.Context, deadline time.Time,
) (_ *wire, waited bool, _ error) {
	h.Lock()
	if last := len(h.idle) - 1; last >= 0 {
		w := h.idle[last]
		h.idle = h.idle[:last]
		h.Unlock()
		return w, false, nil
	}
	if h.most == 0 || h.made < h.most {
		h.made++
		h.Unlock()
		return &wire{reader: bufio.NewReader(nil)}, false, nil
	}
	w, err := h.Await(ctx, deadline, errNoWire, h.release)
	return w, true, err
}

var errNoWire = fmt.Errorf("no connection became free: %w", os.ErrDeadlineExceeded)

func (h *host) standing() *wire {
	h.Lock()
	defer h.Unlock()
	last := len(h.idle) - 1
	if last < 0 || h.idle[last].conn == nil {
		return nil
	}
	w := h.idle[last]
	h.idle = h.idle[:last]
	return w
}

func (h *host) release(w *wire) {
	h.Lock()
	defer h.Unlock()
	if !h.Next(w) {
		h.idle = append(h.idle, w)
	}
}
