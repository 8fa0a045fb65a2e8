// Package rpc serves a target over gRPC, as targets.Handler does over HTTP.
package rpc

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/reflection"
	reflectionv1 "google.golang.org/grpc/reflection/grpc_reflection_v1"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/reflect/protoreflect"
	"google.golang.org/protobuf/types/dynamicpb"

	"github.com/poolbench/poolbench/internal/grpcdyn"
	"github.com/poolbench/poolbench/internal/text"
	"github.com/poolbench/poolbench/targets"
)

const name = "poolbench/v1/target.proto"

// maxAnswers is the largest number of messages that one call streams.
const maxAnswers = 1000

// Handler serves poolbench.v1.Target, which Proto defines, with reflection. Each call is a call of
// t with work. The status codes are
//
//	OK                  served
//	RESOURCE_EXHAUSTED  throttled; UNAVAILABLE if the Refusal is Unavailable. The trailer
//	                    grpc-retry-pushback-ms has the retry time, if known
//	INVALID_ARGUMENT    the metadata targets.TenantField is not a tenant
//	INTERNAL            any other error
//
// Handler needs the HTTP/2 server of net/http and requests with Content-Type application/grpc.
func Handler(t targets.Target, work targets.Work) http.Handler {
	h := &handler{target: t, work: work}
	files, err := grpcdyn.Files(name, Proto)
	if err != nil {
		panic(fmt.Sprintf("rpc: %v", err)) // Proto is a constant
	}
	file, err := files.FindFileByPath(name)
	if err != nil {
		panic(fmt.Sprintf("rpc: %v", err))
	}
	h.request, h.answer = file.Messages().ByName("Request"), file.Messages().ByName("Answer")
	server := grpc.NewServer()
	server.RegisterService(&grpc.ServiceDesc{
		ServiceName: "poolbench.v1.Target",
		HandlerType: (*any)(nil),
		Methods:     []grpc.MethodDesc{{MethodName: "Call", Handler: h.call}},
		Streams: []grpc.StreamDesc{{StreamName: "Stream", Handler: h.stream,
			ServerStreams: true}},
		Metadata: name,
	}, h)
	reflected := reflection.ServerOptions{Services: server, DescriptorResolver: files}
	reflectionv1.RegisterServerReflectionServer(server, reflection.NewServerV1(reflected))
	return server
}

// Spell returns the gRPC name of a status code.
func Spell(code int) string { return grpcdyn.Spell(codes.Code(code)) }

type handler struct {
	target          targets.Target
	work            targets.Work
	calls           atomic.Uint64
	request, answer protoreflect.MessageDescriptor
}

func (h *handler) call(
	_ any, ctx context.Context, read func(any) error, _ grpc.UnaryServerInterceptor,
) (any, error) {
	asked := dynamicpb.NewMessage(h.request)
	if err := read(asked); err != nil {
		return nil, err
	}
	if err := h.serve(ctx); err != nil {
		return nil, err
	}
	return h.message(asked, 0), nil
}

func (h *handler) stream(_ any, s grpc.ServerStream) error {
	asked := dynamicpb.NewMessage(h.request)
	if err := s.RecvMsg(asked); err != nil {
		return err
	}
	if err := h.serve(s.Context()); err != nil {
		return err
	}
	n := max(asked.Get(h.request.Fields().ByName("answers")).Uint(), 1)
	for i := range min(n, maxAnswers) {
		if err := s.SendMsg(h.message(asked, uint32(i))); err != nil {
			return err
		}
	}
	return nil
}

func (h *handler) message(asked *dynamicpb.Message, i uint32) *dynamicpb.Message {
	m := dynamicpb.NewMessage(h.answer)
	m.Set(h.answer.Fields().ByName("number"), protoreflect.ValueOfUint32(i))
	m.Set(h.answer.Fields().ByName("text"), asked.Get(h.request.Fields().ByName("text")))
	return m
}

func (h *handler) serve(ctx context.Context) error {
	field := strings.Join(metadata.ValueFromIncomingContext(ctx, targets.TenantField), ",")
	target, err := targets.ForTenant(h.target, field)
	if err != nil {
		return status.Error(codes.InvalidArgument, err.Error())
	}
	if err = target.Call(ctx, h.calls.Add(1)-1, h.work); err == nil {
		return nil
	}
	code := codes.Internal
	if errors.Is(err, targets.ErrThrottled) {
		code = codes.ResourceExhausted
		if refused, ok := errors.AsType[*targets.Throttled](err); ok {
			if refused.Refusal == targets.Unavailable {
				code = codes.Unavailable
			}
			if ms := refused.RetryAfter.Milliseconds(); ms > 0 {
				_ = grpc.SetTrailer(ctx, metadata.Pairs("grpc-retry-pushback-ms",
					strconv.FormatInt(ms, 10))) // fails only if the call has ended
			}
		}
	}
	return status.Error(code, text.OneLine(err.Error()))
}
