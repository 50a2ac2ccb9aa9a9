package overgrpc

import (
	"bytes"
	"context"
	"errors"
	"net"
	"strconv"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/grpc/test/bufconn"
	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/lab/servers/engine"
	"github.com/idemgen/idemgen/lab/servers/paypb"
)

// bank counts what it is asked for.
type bank struct {
	paypb.UnimplementedPaymentsServer
	calls   atomic.Int64
	unknown []byte // put into what Charge returns
}

func (b *bank) Charge(_ context.Context, r *paypb.ChargeRequest) (*paypb.ChargeResponse, error) {
	n := b.calls.Add(1)
	response := &paypb.ChargeResponse{Id: "charge-" + strconv.FormatInt(n, 10), Amount: r.GetAmount(), Number: 1<<60 + n}
	response.ProtoReflect().SetUnknown(b.unknown)
	return response, nil
}

func (b *bank) Refund(context.Context, *paypb.RefundRequest) (*paypb.RefundResponse, error) {
	return &paypb.RefundResponse{Id: "refund-" + strconv.FormatInt(b.calls.Add(1), 10)}, nil
}

func (b *bank) Balance(context.Context, *paypb.BalanceRequest) (*paypb.BalanceResponse, error) {
	return &paypb.BalanceResponse{Balance: &paypb.Money{Cents: b.calls.Add(1)}}, nil
}

func (b *bank) Watch(_ *paypb.WatchRequest, s grpc.ServerStreamingServer[paypb.Event]) error {
	return s.Send(&paypb.Event{Text: "seen"})
}

// serve registers a wrapped bank as its server, and dials it. An interceptor makes statuses of our errors.
func serve(t *testing.T) (*bank, paypb.PaymentsClient) {
	t.Helper()
	b := &bank{}
	server := grpc.NewServer(grpc.UnaryInterceptor(func(ctx context.Context, req any, _ *grpc.UnaryServerInfo, h grpc.UnaryHandler) (any, error) {
		reply, err := h(ctx, req)
		switch {
		case errors.Is(err, idem.ErrMismatch):
			err = status.Error(codes.InvalidArgument, err.Error())
		case errors.Is(err, idem.ErrNoKey):
			err = status.Error(codes.FailedPrecondition, err.Error())
		}
		return reply, err
	}))
	paypb.RegisterPaymentsServer(server, NewIdempotentPayments(b, engine.New(t)))
	listener := bufconn.Listen(1 << 16)
	served := make(chan error, 1)
	go func() { served <- server.Serve(listener) }()
	conn, err := grpc.NewClient("passthrough:///payments", grpc.WithTransportCredentials(insecure.NewCredentials()),
		grpc.WithContextDialer(func(ctx context.Context, _ string) (net.Conn, error) { return listener.DialContext(ctx) }))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
		server.Stop()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
	return b, paypb.NewPaymentsClient(conn)
}

func request(key string) *paypb.ChargeRequest {
	return &paypb.ChargeRequest{
		Meta: &paypb.Meta{IdempotencyKey: key, Tenant: "shop"}, Amount: &paypb.Money{Currency: "EUR", Cents: 1999}, Card: "4242",
	}
}

func TestWrapperIsRegisteredAsTheServer(t *testing.T) {
	t.Parallel()
	b, client := serve(t)
	first, err := client.Charge(t.Context(), request("order-7"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := client.Charge(t.Context(), request("order-7"))
	if err != nil || !proto.Equal(first, again) || b.calls.Load() != 1 {
		t.Errorf("%v, %v, %d calls; want %v again", again, err, b.calls.Load(), first)
	}
	other, err := client.Charge(t.Context(), request("order-8"))
	if err != nil || other.GetId() == first.GetId() {
		t.Errorf("another key: %v, %v", other, err)
	}
	elsewhere := request("order-7")
	elsewhere.Meta.Tenant = "another shop"
	if other, err = client.Charge(t.Context(), elsewhere); err != nil || other.GetId() == first.GetId() {
		t.Errorf("another tenant: %v, %v", other, err)
	}
}

func TestNamedFieldsAreCompared(t *testing.T) {
	t.Parallel()
	b, client := serve(t)
	if _, err := client.Charge(t.Context(), request("k")); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(*paypb.ChargeRequest){
		"cents":    func(r *paypb.ChargeRequest) { r.Amount.Cents++ },
		"currency": func(r *paypb.ChargeRequest) { r.Amount.Currency = "USD" },
		"card":     func(r *paypb.ChargeRequest) { r.Card = "" },
		"amount":   func(r *paypb.ChargeRequest) { r.Amount = nil },
	} {
		r := request("k")
		change(r)
		if _, err := client.Charge(t.Context(), r); status.Code(err) != codes.InvalidArgument {
			t.Errorf("another %s: %v; want a mismatch", name, err)
		}
	}
	for name, r := range map[string]*paypb.ChargeRequest{"no meta": {}, "no key": request("")} {
		if _, err := client.Charge(t.Context(), r); status.Code(err) != codes.FailedPrecondition {
			t.Errorf("%s: %v; want no key", name, err)
		}
	}
	if b.calls.Load() != 1 {
		t.Errorf("%d calls", b.calls.Load())
	}
}

func TestOtherMethodsAreForwarded(t *testing.T) {
	t.Parallel()
	b, client := serve(t)
	for range 2 {
		if _, err := client.Balance(t.Context(), &paypb.BalanceRequest{}); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if r, err := client.Refund(t.Context(), &paypb.RefundRequest{Key: "r", Charge: "c"}); err != nil || r.GetId() != "refund-3" {
			t.Fatal(r, err)
		}
	}
	if b.calls.Load() != 3 {
		t.Errorf("%d calls, want two for the balance and one for the refund", b.calls.Load())
	}
	stream, err := client.Watch(t.Context(), &paypb.WatchRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if e, err := stream.Recv(); err != nil || e.GetText() != "seen" {
		t.Error(e, err)
	}
}

// A server of a newer build puts a field in that this build's type does not have: a replay gives a newer client what the newer server put in.
func TestFieldsOfANewerServerAreReplayedOverTheWire(t *testing.T) {
	t.Parallel()
	b, client := serve(t)
	b.unknown = protowire.AppendString(protowire.AppendTag(nil, 777, protowire.BytesType), "from the future")
	first, err := client.Charge(t.Context(), request("k"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := client.Charge(t.Context(), request("k"))
	if err != nil || !proto.Equal(first, again) || b.calls.Load() != 1 {
		t.Errorf("%v, %v, %d calls; want %v again", again, err, b.calls.Load(), first)
	}
	if got := again.ProtoReflect().GetUnknown(); !bytes.Equal(got, b.unknown) {
		t.Errorf("unknown fields %x, want %x", got, b.unknown)
	}
}
