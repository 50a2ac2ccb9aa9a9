package later

import "context"

type opener interface {
	//idem:key badge
	Open(ctx context.Context, badge string) (int, error)
}
