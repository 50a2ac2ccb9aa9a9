// Package context has the name of what it imports.
package context

import "context"

// Task is a task.
type Task struct{ Name string }

// Runner runs.
//
//idem:wrap
type Runner interface {
	//idem:key id
	Run(ctx context.Context, id string, t Task) (Task, error)
}
