package codec_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/idemgen/idemgen/idem"
	"github.com/idemgen/idemgen/idem/codec"
	"github.com/idemgen/idemgen/idem/idemtest"
)

// Results are encrypted in the store. To change keys, give all processes the new key beside the old one first, then make it the current one.
func ExampleEncrypt() {
	keys, err := codec.NewKeyring("2024", map[string][]byte{
		"2024": []byte("thirty-two bytes from your vault"),
		"2023": []byte("those before, for rows of then  "),
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	op := idem.Operation[string]{Name: "shop.Issue", Codec: codec.Encrypt(keys, idem.JSON[string]{})}

	store := idemtest.NewStore()
	engine, err := idem.New(store)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer engine.Close()
	for range 2 {
		voucher, err := idem.Do(context.Background(), engine, &op, idem.Call[string]{
			Key: idem.StringKey("order-7"),
			Run: func(context.Context) (string, error) { return "VOUCHER-1234", nil },
		})
		fmt.Println(voucher, err)
	}
	row := store.Rows()[0]
	fmt.Println(row.Codec, strings.Contains(string(row.Result), "1234"))
	// Output:
	// VOUCHER-1234 <nil>
	// VOUCHER-1234 <nil>
	// aesgcm+json false
}

// An operation whose results were stored by gob stores them as json from now on, and still reads those that are there.
func ExampleSucceed() {
	type receipt struct{ ID string }
	ref := idem.Ref{Operation: "shop.Charge", Key: "order-7"}
	old, err := codec.Gob[receipt]{}.Encode(ref, receipt{"charge-1"})
	if err != nil {
		fmt.Println(err)
		return
	}

	now := codec.Succeed(idem.JSON[receipt]{}, codec.Gob[receipt]{})
	reader, name, data, err := now.Unwrap(ref, "gob", old)
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := reader.Decode(ref, data)
	fmt.Println(now.Name(), name, r, err)
	// Output: json gob {charge-1} <nil>
}
