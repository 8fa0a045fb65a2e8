package grpcdyn

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"

	"github.com/jhump/protoreflect/v2/grpcreflect"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	_ "google.golang.org/grpc/encoding/proto" // encodes reflection messages
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/poolbench/poolbench/internal/transport"
)

// Reflected uses server reflection, over a separate connection of grpc-go. The caller closes it by
// calling the returned function.
func (c *Client) Reflected(ctx context.Context) (Source, func(), error) {
	secure := insecure.NewCredentials()
	if c.TLS != nil {
		secure = credentials.NewTLS(c.TLS)
	}
	conn, err := grpc.NewClient("passthrough:///"+c.Address,
		grpc.WithTransportCredentials(secure),
		grpc.WithContextDialer(func(ctx context.Context, address string) (net.Conn, error) {
			return c.Dial(ctx, "tcp", address)
		}),
		grpc.WithUserAgent("poolbench"),
		grpc.WithDisableServiceConfig(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxReceived)))
	if err != nil {
		return nil, nil, err
	}
	asked := grpcreflect.NewClientAuto(ctx, conn)
	return func(service string) (protoreflect.Descriptor, error) {
			names, err := asked.ListServices()
			if err != nil {
				if wrong := c.handshake(ctx); wrong != nil {
					return nil, wrong
				}
				return nil, fmt.Errorf("the server was asked for its descriptors: %s: %s; without "+
					"reflection they come from a file (proto)", Spell(status.Code(err)),
					strings.Join(strings.Fields(status.Convert(err).Message()), " "))
			}
			if !slices.Contains(names, protoreflect.FullName(service)) {
				var known []string
				for _, n := range names {
					known = append(known, string(n))
				}
				slices.Sort(known)
				return nil, unknown(service, known)
			}
			file, err := asked.FileContainingSymbol(protoreflect.FullName(service))
			if err != nil {
				return nil, err
			}
			d := file.Services().ByName(protoreflect.FullName(service).Name())
			if d == nil {
				return nil, fmt.Errorf("the server's descriptor of %s has no such service", service)
			}
			return d, nil
		}, func() {
			asked.Reset()
			_ = conn.Close() // all answers have arrived
		}, nil
}

func (c *Client) handshake(ctx context.Context) error {
	l, err := c.connect(ctx)
	if err == nil {
		l.close()
	}
	if why, ok := errors.AsType[*transport.TLSError](err); ok {
		return why
	}
	return nil
}
