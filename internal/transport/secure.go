package transport

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"
	"time"
)

// A TLSError may name an option that helps.
type TLSError struct {
	text string
	err  error
}

func (e *TLSError) Error() string { return "TLS: " + e.text }

func (e *TLSError) Unwrap() error { return e.err }

// A SecureConn is a TLS connection whose errors name the reason.
type SecureConn struct {
	*tls.Conn
	certificateRequested *bool // the server requested a certificate and got none
	received             bool  // the server has sent data after the handshake
}

// After an error, the caller of Secure must close conn.
func Secure(ctx context.Context, conn net.Conn, config *tls.Config) (*SecureConn, error) {
	asked := new(bool)
	if len(config.Certificates) == 0 {
		config = config.Clone()
		config.GetClientCertificate = recordRequest(asked)
	}
	c := tls.Client(conn, config)
	err := c.HandshakeContext(ctx)
	if r, ok := errors.AsType[tls.RecordHeaderError](err); ok &&
		string(r.RecordHeader[:]) == "HTTP/" { // net/http reports it too
		return nil, errors.New("http: server gave HTTP response to HTTPS client")
	} else if err != nil {
		return nil, ExplainTLS(err, *asked)
	}
	return &SecureConn{Conn: c, certificateRequested: asked}, nil
}

// Sending no certificate is the default of crypto/tls.
func recordRequest(asked *bool) func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
	return func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
		*asked = true
		return new(tls.Certificate), nil
	}
}

// Read explains an error, because a TLS 1.3 server refuses a client only after the handshake.
func (c *SecureConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if n > 0 {
		c.received = true
	} else if err != nil && !c.received {
		err = ExplainTLS(err, *c.certificateRequested)
	}
	return n, err
}

func (c *SecureConn) Write(p []byte) (int, error) {
	n, err := c.Conn.Write(p)
	if broken := errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET); broken {
		err = ExplainTLS(err, *c.certificateRequested)
	}
	return n, err
}

// ExplainTLS returns a *TLSError for a handshake failure with a known reason, otherwise err. asked
// means that the server requested a client certificate and got none.
func ExplainTLS(err error, asked bool) error {
	if _, explained := errors.AsType[*TLSError](err); err == nil || explained {
		return err
	}
	if text := explain(err, asked); text != "" {
		return &TLSError{text, err}
	}
	return err
}

func explain(err error, asked bool) string {
	if v, ok := errors.AsType[*tls.CertificateVerificationError](err); ok {
		return explainCertificate(v)
	}
	text := err.Error()
	remote := strings.Contains(text, "remote error: tls: ") || strings.Contains(text, "(remote)")
	refused := errors.Is(err, syscall.EPIPE) || errors.Is(err, syscall.ECONNRESET)
	switch {
	case asked && (remote || refused) || remote && strings.Contains(text, "certificate required"):
		return "the server requires a client certificate: give --cert"
	case remote && strings.Contains(text, "protocol version"),
		strings.Contains(text, "unsupported protocol version"):
		return "no common TLS version: the server supports none that --tls-min allows"
	case remote && strings.Contains(text, "no application protocol"):
		return "the server does not support this version of HTTP over TLS"
	case remote && strings.Contains(text, "unrecognized name"):
		return "the server does not accept the name in SNI: give --sni"
	case remote && strings.Contains(text, "certificate"):
		_, alert, _ := strings.Cut(text, "tls: ")
		return "the server refused the client certificate: " + alert
	}
	return ""
}

func explainCertificate(v *tls.CertificateVerificationError) string {
	if host, ok := errors.AsType[x509.HostnameError](v.Err); ok {
		return fmt.Sprintf("the server's certificate is for %s and not for %s: give --sni or -k",
			namesOf(host.Certificate), host.Host)
	}
	const day = time.DateOnly
	if e, ok := errors.AsType[x509.CertificateInvalidError](v.Err); ok && e.Reason == x509.Expired {
		if from := e.Cert.NotBefore; time.Now().Before(from) {
			return fmt.Sprintf("the server's certificate is not valid before %s", from.Format(day))
		}
		return fmt.Sprintf("the server's certificate expired on %s", e.Cert.NotAfter.Format(day))
	}
	if e, ok := errors.AsType[x509.UnknownAuthorityError](v.Err); ok {
		by := "an unknown authority"
		if e.Cert != nil {
			issuer := e.Cert.Issuer
			name := cmp.Or(issuer.CommonName, strings.Join(issuer.Organization, " "))
			if name != "" {
				by += " (" + name + ")"
			}
		}
		return "the server's certificate is signed by " + by + ": give --ca or -k"
	}
	return v.Err.Error()
}

const maxNames = 3

func namesOf(c *x509.Certificate) string {
	names := slices.Clone(c.DNSNames)
	for _, ip := range c.IPAddresses {
		names = append(names, ip.String())
	}
	switch n := len(names); {
	case n == 0:
		return "no name"
	case n > maxNames:
		return fmt.Sprintf("%s and %d more", strings.Join(names[:maxNames], " "), n-maxNames)
	}
	return strings.Join(names, " ")
}
