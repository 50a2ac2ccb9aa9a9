package overconnect

import (
	"context"
	"net/http/httptest"
	"strconv"
	"sync/atomic"
	"testing"

	"connectrpc.com/connect"
	"google.golang.org/protobuf/proto"

	"github.com/idemgen/idemgen/lab/servers/engine"
	"github.com/idemgen/idemgen/lab/servers/paypb"
	"github.com/idemgen/idemgen/lab/servers/paypb/paypbconnect"
)

// bank counts its charges.
type bank struct {
	paypbconnect.UnimplementedPaymentsHandler
	calls atomic.Int64
}

func (b *bank) Charge(_ context.Context, r *connect.Request[paypb.ChargeRequest]) (*connect.Response[paypb.ChargeResponse], error) {
	n := b.calls.Add(1)
	return connect.NewResponse(&paypb.ChargeResponse{
		Id: "charge-" + strconv.FormatInt(n, 10), Amount: r.Msg.GetAmount(), Number: 1<<60 + n,
	}), nil
}

func (b *bank) Balance(context.Context, *connect.Request[paypb.BalanceRequest]) (*connect.Response[paypb.BalanceResponse], error) {
	return connect.NewResponse(&paypb.BalanceResponse{Balance: &paypb.Money{Cents: b.calls.Add(1)}}), nil
}

func TestWrapperIsTheHandler(t *testing.T) {
	t.Parallel()
	b := &bank{}
	_, handler := paypbconnect.NewPaymentsHandler(NewIdempotentPayments(b, engine.New(t)))
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	client := paypbconnect.NewPaymentsClient(server.Client(), server.URL)
	charge := func(key string) *paypb.ChargeResponse {
		t.Helper()
		r := connect.NewRequest(&paypb.ChargeRequest{
			Meta: &paypb.Meta{Tenant: "shop"}, Amount: &paypb.Money{Currency: "EUR", Cents: 1999}, Card: "4242",
		})
		r.Header().Set("Idempotency-Key", key)
		reply, err := client.Charge(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		return reply.Msg
	}
	first, again, other := charge("order-7"), charge("order-7"), charge("order-8")
	if !proto.Equal(first, again) || first.GetNumber() != 1<<60+1 {
		t.Errorf("%v, then %v", first, again)
	}
	if other.GetId() == first.GetId() || b.calls.Load() != 2 {
		t.Errorf("another key: %v, %d calls", other, b.calls.Load())
	}
	for range 2 {
		if _, err := client.Balance(t.Context(), connect.NewRequest(&paypb.BalanceRequest{})); err != nil {
			t.Fatal(err)
		}
	}
	if b.calls.Load() != 4 {
		t.Errorf("%d calls; a balance is asked for each time", b.calls.Load())
	}
	none, err := client.Charge(t.Context(), connect.NewRequest(&paypb.ChargeRequest{Meta: &paypb.Meta{Tenant: "shop"}}))
	if err == nil {
		t.Errorf("without a key: %v", none)
	}
}
