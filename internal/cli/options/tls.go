package options

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/internal/cli/flags"
	"github.com/poolbench/poolbench/internal/files"
)

type tlsFlags struct{ cert, key, ca, least string }

// maxPEM is a number of bytes.
const maxPEM = 1 << 20

func (f *tlsFlags) addTo(cmd *cobra.Command, k *attack.Attack) {
	fs := cmd.Flags()
	fs.BoolVarP(&k.Insecure, "insecure", "k", false, "do not check certificates")
	fs.StringVar(&f.ca, "ca", "", "trust the CAs in this PEM `FILE` instead of the system's")
	fs.StringVar(&f.cert, "cert", "", "client certificate and its chain, from this PEM `FILE`")
	fs.StringVar(&f.key, "key", "", "private key of --cert, from this PEM `FILE` (default: the "+
		"file of --cert)")
	fs.StringVar(&k.TLS.ServerName, "sni", "", "host `NAME` for SNI and for the certificate "+
		"(default: the Host header, or the host of URL)")
	flags.Choice(cmd, &f.least, "tls-min", "lowest version of TLS to accept", "1.2", "1.3")
	fs.Var(flags.Repeated(&k.Resolve, "HOST:PORT:ADDR", attack.ParseResolve), "resolve",
		"connect to this address for HOST:PORT, as curl does; HOST * is every host (repeatable)")
}

func (f *tlsFlags) read(k *attack.Attack) (err error) {
	if f.least == "1.3" {
		k.TLS.MinVersion = tls.VersionTLS13
	}
	if f.ca != "" {
		if k.TLS.CA, err = readCertificates(f.ca); err != nil {
			return fmt.Errorf("--ca: %w", err)
		}
	}
	if f.cert == "" && f.key != "" {
		return errors.New("--key: want --cert, the certificate of this key")
	}
	if f.cert == "" {
		return nil
	}
	if k.TLS.Cert, err = readCertificates(f.cert); err != nil {
		return fmt.Errorf("--cert: %w", err)
	}
	flag, path := "--key", f.key
	if path == "" {
		flag, path = "--cert", f.cert
	}
	k.TLS.Key, err = readKey(path)
	if errors.Is(err, errNoKey) && f.key == "" {
		err = fmt.Errorf("%w: give --key", err)
	}
	if err == nil {
		if _, wrong := tls.X509KeyPair(k.TLS.Cert, k.TLS.Key); wrong != nil {
			err = fmt.Errorf("%s: %s", path, strings.TrimPrefix(wrong.Error(), "tls: "))
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", flag, err)
	}
	return nil
}

func readCertificates(path string) ([]byte, error) {
	text, err := files.ReadFile(path, maxPEM)
	if err != nil {
		return nil, err
	}
	var all []byte
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type != "CERTIFICATE" {
			continue
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		all = append(all, pem.EncodeToMemory(block)...)
	}
	if all == nil {
		return nil, fmt.Errorf("%s: the file has no CERTIFICATE in PEM format", path)
	}
	return all, nil
}

func readKey(path string) ([]byte, error) {
	text, err := files.ReadFile(path, maxPEM)
	if err != nil {
		return nil, err
	}
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		encrypted := block.Type == "ENCRYPTED PRIVATE KEY" ||
			strings.Contains(block.Headers["Proc-Type"], "ENCRYPTED")
		if encrypted {
			return nil, fmt.Errorf("%s: the key is encrypted: decrypt it with openssl pkey", path)
		}
	}
	if !bytes.Contains(text, []byte("PRIVATE KEY-----")) {
		return nil, fmt.Errorf("%s: %w", path, errNoKey)
	}
	return text, nil
}

var errNoKey = errors.New("the file has no PRIVATE KEY in PEM format")
