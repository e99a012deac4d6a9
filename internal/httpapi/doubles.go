package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/double"
)

type (
	doubleJSON struct {
		ID        string            `json:"id" doc:"The article without an external_id."`
		SKU       string            `json:"sku"`
		Name      string            `json:"name"`
		Status    string            `json:"status,omitempty"`
		UpdatedAt time.Time         `json:"updated_at"`
		Others    []doubleOtherJSON `json:"others" doc:"The articles with its SKU and an external_id; at most 10."`
	}
	doubleOtherJSON struct {
		ID         string `json:"id"`
		ExternalID string `json:"external_id"`
		Name       string `json:"name"`
		Status     string `json:"status,omitempty"`
	}
	mergedJSON struct {
		Into   string   `json:"into" doc:"What the article is now."`
		Lines  int      `json:"lines" doc:"Purchase order lines that were moved. Zero if it had been merged before."`
		Filled []string `json:"filled" doc:"Fields of the other article that were empty, and have its values now."`
	}
)

// doubleOperations list articles that are stored twice, and merge them.
func (s *Server) doubleOperations(a *appAPI) {
	const tag, path = "Articles", "workspaces/{workspace}/doubles"
	register(a, operation{
		id: "listDoubles", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "List articles that are stored twice",
		about: "Once without an external_id, because a record named only their SKU, and once or more with one. " +
			"Those that came first come first.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Paged
		SKU string `query:"sku" maxLength:"500" doc:"Only those with this SKU."`
	}) (*body[list[doubleJSON]], error) {
		want, err := in.request()
		if err != nil {
			return nil, err
		}
		doubles, more, err := s.Doubles.List(ctx, by(ctx).Principal, in.SKU, want)
		var items []doubleJSON
		for _, one := range doubles {
			items = append(items, toDouble(one))
		}
		return listed(items, more, func(one doubleJSON) (id uuid.UUID) {
			_ = id.UnmarshalText([]byte(one.ID)) // ids of articles are made here
			return id
		}), err
	})
	register(a, operation{
		id: "mergeDouble", method: http.MethodPost, path: path + "/{article}/merge", tag: tag, needs: auth.EditRecords,
		summary: "Merge an article into the one that has its SKU and an external_id",
		about: "The article becomes another name of the other one: records that name only its SKU, and references to its SKU or id, mean " +
			"the other from then on, for as long as that has the SKU. Its purchase order lines and sales are the other's; approvals " +
			"stay, and so does what lines say of the article. Refused (409) while both have an open line that was drafted for a " +
			"recommendation. It cannot be undone. A repeated call does nothing.",
	}, func(ctx context.Context, in *struct {
		OneArticle
		Body struct {
			Into string `json:"into" maxLength:"500" doc:"The id of the other article."`
		}
	}) (*body[mergedJSON], error) {
		merged, err := s.Doubles.Merge(ctx, by(ctx).Principal, in.Article, in.Body.Into)
		return &body[mergedJSON]{mergedJSON{merged.Into, merged.Lines, append([]string{}, merged.Filled...)}}, err
	})
}

func toDouble(one double.Double) doubleJSON {
	out := doubleJSON{ID: one.ID, SKU: one.SKU, Name: one.Name, Status: one.Status, UpdatedAt: one.UpdatedAt}
	for _, other := range one.Others {
		out.Others = append(out.Others, doubleOtherJSON(other))
	}
	return out
}
