package overrest

import (
	"encoding/json"
	"fmt"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/lab/servers/payrest"
)

// chargeResponses stores what Charge answers: one of several types, by the status of each.
type chargeResponses struct{}

// answer is how it is stored.
type answer struct {
	Status int
	Body   json.RawMessage
}

func (chargeResponses) Name() string { return "rest" }

func (chargeResponses) Encode(_ idem.Ref, r payrest.ChargeResponseObject) ([]byte, error) {
	status := 0
	switch r.(type) {
	case nil: // a method may return nothing, which the server then refuses
	case payrest.Charge201JSONResponse:
		status = 201
	case payrest.Charge402JSONResponse:
		status = 402
	default:
		return nil, fmt.Errorf("no status for a %T", r)
	}
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	return json.Marshal(answer{status, body})
}

func (chargeResponses) Decode(_ idem.Ref, data []byte) (payrest.ChargeResponseObject, error) {
	var a answer
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, err
	}
	switch a.Status {
	case 0:
		return nil, nil
	case 201:
		var r payrest.Charge201JSONResponse
		err := json.Unmarshal(a.Body, &r)
		return r, err
	case 402:
		var r payrest.Charge402JSONResponse
		err := json.Unmarshal(a.Body, &r)
		return r, err
	default:
		return nil, fmt.Errorf("a response with status %d", a.Status)
	}
}
