// Package page uses three packages of one name.
package page

import (
	"context"
	html "html/template"
	text "text/template"

	"example.com/cases/030-import-clash/x/template"
)

// Page renders.
//
//idem:wrap
//idem:skip *
type Page interface {
	//idem:key id
	Save(ctx context.Context, id string, body html.HTML, in template.Layout) (template.Layout, error)
	Parse(t *text.Template, h *html.Template) error
}
