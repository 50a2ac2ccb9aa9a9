// Package deep has keys behind pointers.
package deep

import "context"

// Meta is optional.
type Meta struct {
	Key  *string
	Refs []*Ref
}

// Ref is a pointer's target.
type Ref struct{ No int }

// Request has optional parts.
type Request struct {
	Meta *Meta
	Key  string
}

// GetKey accepts nil, as generated getters do.
func (r *Request) GetKey() string {
	if r == nil {
		return ""
	}
	return r.Key
}

// Deep digs.
//
//idem:wrap
type Deep interface {
	//idem:key *req.Meta.Key
	A(ctx context.Context, req *Request) error
	//idem:key req.Key, req.Meta.Refs[0].No
	B(ctx context.Context, req *Request) (int, error)
	//idem:key req.GetKey()
	C(ctx context.Context, req *Request) error
	//idem:key req.Key
	//idem:scope *req.Meta.Key
	//idem:fingerprint req.Meta.Key
	D(ctx context.Context, req *Request) error
	//idem:key v.(string)
	E(ctx context.Context, v any) error
}

var samples = []any{any("text")}
