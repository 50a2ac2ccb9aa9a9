package payments

import (
	"context"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/idemgen/idemgen/idem"
)

// This file is the service on HTTP. A request that moves money carries its key in the Idempotency-Key header.

// patience is how long a request may take, whether or not its caller still listens.
const patience = 25 * time.Second

func newHandler(p Payments) http.Handler {
	mux := http.NewServeMux()
	charge := func(ctx context.Context, merchant, key string, req ChargeRequest) (Receipt, error) {
		req.Merchant, req.IdempotencyKey = merchant, key
		return p.Charge(ctx, req)
	}
	refund := func(ctx context.Context, merchant, key string, req RefundRequest) (Receipt, error) {
		req.Merchant, req.IdempotencyKey = merchant, key
		return p.Refund(ctx, req)
	}
	mux.HandleFunc("POST /merchants/{merchant}/charges", keyed(charge))
	mux.HandleFunc("POST /merchants/{merchant}/refunds", keyed(refund))
	mux.HandleFunc("GET /merchants/{merchant}/balance", func(w http.ResponseWriter, r *http.Request) {
		balance, err := p.Balance(r.Context(), r.PathValue("merchant"))
		if err != nil {
			writeProblem(w, err)
			return
		}
		writeJSON(w, http.StatusOK, map[string]int64{"balance": balance})
	})
	return mux
}

// keyed serves a method with a key. A replayed answer says so in a header.
//
// The method's context does not end when the caller hangs up: a charge that is cut off in the middle is one of which
// nobody knows whether it happened, and the caller will be back for the receipt.
func keyed[Req any](call func(ctx context.Context, merchant, key string, req Req) (Receipt, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), patience)
		defer cancel()
		key, err := headerKey(r.Header)
		if err != nil {
			writeProblem(w, err)
			return
		}
		var req Req
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<16)).Decode(&req); err != nil {
			writeProblem(w, errBadBody)
			return
		}
		ctx, info := idem.WithInfo(ctx)
		receipt, err := call(ctx, r.PathValue("merchant"), key, req)
		if err != nil {
			writeProblem(w, err)
			return
		}
		if info.Replayed {
			w.Header().Set("Idempotency-Replayed", "true")
		}
		writeJSON(w, http.StatusOK, receipt)
	}
}

// headerKey reads the Idempotency-Key header: one value, bare or in the quotes that the header's specification asks
// for. That it is missing is for the wrapper to say.
func headerKey(h http.Header) (string, error) {
	values := h.Values("Idempotency-Key")
	if len(values) == 0 {
		return "", nil
	}
	if len(values) > 1 {
		return "", errSeveralKeys
	}
	key := values[0]
	if quoted, ok := strings.CutPrefix(key, `"`); ok {
		if key, ok = strings.CutSuffix(quoted, `"`); !ok {
			return "", errUnclosedKey
		}
	}
	return key, nil
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	if w.Header().Get("Content-Type") == "" {
		w.Header().Set("Content-Type", "application/json")
	}
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the caller has gone; the outcome is stored, and he will be back for it
}
