// Package rpc sends the requests of an attack over gRPC. Import it to register:
//
//	import _ "github.com/poolbench/poolbench/bench/attack/rpc"
//
// A URL is grpc://host:port/package.Service/Method, or grpcs for TLS. The body is the message as
// JSON, the header the metadata. RESOURCE_EXHAUSTED and UNAVAILABLE throttle, with
// grpc-retry-pushback-ms as Retry-After. Other codes than OK fail.
package rpc

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"

	"github.com/poolbench/poolbench/bench/attack"
	"github.com/poolbench/poolbench/bench/record"
	"github.com/poolbench/poolbench/internal/grpcdyn"
)

func init() {
	attack.RegisterProtocol(attack.Protocol{Name: "gRPC",
		Schemes: map[string]string{"grpc": "80", "grpcs": "443"},
		Check:   check, Open: open, Outcome: outcome, Status: spell, Like: like})
}

// A status is a code plus one: 0 is no status.

func spell(status int) string { return grpcdyn.Spell(codes.Code(status - 1)) }

func outcome(status int) record.Outcome {
	switch codes.Code(status - 1) {
	case codes.OK:
		return record.Completed
	case codes.ResourceExhausted, codes.Unavailable:
		return record.Throttled
	}
	return record.Failed
}

// like follows google/rpc/code.proto.
func like(status int) int {
	return cmp.Or(statuses[codes.Code(status-1)], http.StatusInternalServerError)
}

var statuses = map[codes.Code]int{
	codes.OK:                 http.StatusOK,
	codes.Canceled:           499,
	codes.InvalidArgument:    http.StatusBadRequest,
	codes.FailedPrecondition: http.StatusBadRequest,
	codes.OutOfRange:         http.StatusBadRequest,
	codes.DeadlineExceeded:   http.StatusGatewayTimeout,
	codes.NotFound:           http.StatusNotFound,
	codes.AlreadyExists:      http.StatusConflict,
	codes.Aborted:            http.StatusConflict,
	codes.PermissionDenied:   http.StatusForbidden,
	codes.Unauthenticated:    http.StatusUnauthorized,
	codes.ResourceExhausted:  http.StatusTooManyRequests,
	codes.Unimplemented:      http.StatusNotImplemented,
	codes.Unavailable:        http.StatusServiceUnavailable,
}

// With descriptors, check validates the request completely.
func check(a attack.Attack, r attack.Request) error {
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil // attack reports it
	}
	if _, _, err := grpcdyn.CutPath(u.Path); err != nil {
		return fmt.Errorf("%s: %w behind the host", attack.ShownURL(r.URL), err)
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("%s: a method of gRPC has no query", attack.Shown(u.Host+u.Path))
	}
	if r.Method != "" && r.Method != http.MethodGet && r.Method != http.MethodPost {
		return fmt.Errorf("method %s: gRPC does not use HTTP methods", r.Method)
	}
	if _, err := metadataOf(r.Header); err != nil {
		return err
	}
	if a.Descriptors == nil {
		return nil
	}
	find, err := grpcdyn.FromSet(a.Descriptors)
	if err != nil {
		return fmt.Errorf("proto: %w", err)
	}
	m, err := find.Method(u.Path)
	if err != nil {
		return fmt.Errorf("%s: %w", attack.ShownURL(r.URL), err)
	}
	_, err = m.Encode(r.Body)
	return named(err)
}

func named(err error) error {
	if err != nil {
		err = fmt.Errorf("body: %w", err)
	}
	return err
}

// Binary values are base64, as in grpcurl.
func metadataOf(h http.Header) (metadata.MD, error) {
	md := metadata.MD{}
	for name, values := range h {
		key := strings.ToLower(name)
		if strings.HasPrefix(key, "grpc-") || key == "host" || key == "content-type" ||
			key == "te" || key == "connection" {
			return nil, fmt.Errorf("header %s: gRPC sets it itself", name)
		}
		for _, v := range values {
			if strings.HasSuffix(key, "-bin") {
				bytes, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
				if err != nil {
					return nil, fmt.Errorf("header %s: want base64, as its name ends in -bin",
						name)
				}
				v = string(bytes)
			}
			md.Append(key, v)
		}
	}
	return md, nil
}

type sender struct {
	*grpcdyn.Client
	methods map[string]*grpcdyn.Method // by path
}

func open(ctx context.Context, o attack.OpenArgs) (_ attack.Sender, err error) {
	options := grpcdyn.Options{Address: o.Host, Connections: o.Connections, Streams: o.Attack.Streams,
		Dial: o.Dial, Watch: o.Watch, Secured: o.Secured, Resend: o.Resend}
	if u, err := url.Parse(o.Requests[0].URL); err == nil && u.Scheme == "grpcs" {
		name, _, err := net.SplitHostPort(o.Host)
		if err != nil {
			return nil, err
		}
		options.TLS = o.Config.Clone()
		options.TLS.ServerName, options.Authority = cmp.Or(o.TLS.ServerName, name), name
	}
	s := &sender{grpcdyn.NewClient(options), map[string]*grpcdyn.Method{}}
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	var find grpcdyn.Source
	if o.Descriptors != nil {
		find, err = grpcdyn.FromSet(o.Descriptors)
	} else {
		var end func()
		if find, end, err = s.Reflected(ctx); err == nil {
			defer end()
		}
	}
	if err != nil {
		return nil, err
	}
	for _, r := range o.Requests {
		u, err := url.Parse(r.URL)
		if err != nil {
			return nil, err
		}
		if s.methods[u.Path] == nil {
			if s.methods[u.Path], err = find.Method(u.Path); err != nil {
				return nil, fmt.Errorf("%s: %w", attack.ShownURL(r.URL), err)
			}
		}
	}
	return s, nil
}

func (s *sender) Prepare(r attack.Request) (any, error) {
	u, err := url.Parse(r.URL)
	if err != nil {
		return nil, err
	}
	m := s.methods[u.Path]
	if m == nil {
		return nil, fmt.Errorf("%s: this method was not looked up at the start",
			attack.ShownURL(r.URL))
	}
	md, err := metadataOf(r.Header)
	if err != nil {
		return nil, err
	}
	bytes, err := m.Encode(r.Body)
	if err != nil {
		return nil, named(err)
	}
	return grpcdyn.NewMessage(m, md, bytes), nil
}

func (s *sender) Send(
	ctx context.Context, message any, deadline time.Time, wants bool,
) attack.Answer {
	m := message.(*grpcdyn.Message)
	got := s.Call(ctx, m, deadline, wants)
	a := attack.Answer{In: got.In, Out: m.Len(), RetryAfter: got.RetryAfter,
		Err: got.Err()}
	if a.Err != nil {
		return a
	}
	if a.Status = int(got.Code) + 1; a.Status < 1 { // codes are uint32
		a.Status = int(codes.Unknown) + 1
	}
	if got.Code != codes.OK {
		a.Message = got.Text
	}
	if !wants {
		return a
	}
	a.Header = http.Header{}
	for name, values := range got.Metadata {
		a.Header[http.CanonicalHeaderKey(name)] = values
	}
	if got.Last != nil {
		a.Body, a.Err = m.Decode(got.Last)
	}
	return a
}
