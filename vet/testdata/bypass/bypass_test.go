package bypass

import (
	"context"
	"testing"

	"example.com/shop/stripe"
)

func TestClient(t *testing.T) {
	_ = new(stripe.Client).Void(context.Background(), 1) // implementations have tests
}
