// Package intl has names outside ASCII.
package intl

import "context"

// Überweisung is a transfer.
//
//idem:wrap
type Überweisung interface {
	//idem:key schlüssel
	Ändern(ctx context.Context, schlüssel string) (größe int, fehler error)
	//idem:skip
	開く()
}

//idem:wrap
type 口座 interface {
	//idem:key 鍵
	Öffnen(ctx context.Context, 鍵 string) error
}

//idem:wrap
type HTTPDienst interface {
	//idem:key id
	GETSeite(ctx context.Context, id string) error
}
