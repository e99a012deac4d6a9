package httpapi

import (
	"context"
	"net/http"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/search"
)

type (
	foundJSON struct {
		Items []hitJSON `json:"items" doc:"At most 20 results, grouped by kind. The kind of the best match comes first."`
		More  bool      `json:"more" doc:"There are, or may be, more results. Type more to narrow the search."`
	}
	hitJSON struct {
		Kind   search.Kind       `json:"kind" enum:"purchase_order,supplier,product,customer,order,failed_import,table,view" example:"product"`
		ID     string            `json:"id" doc:"For a purchase order its number, for a table its slug."`
		Table  string            `json:"table" example:"products" doc:"The slug of the record's table. For a failed import, the table that it was sent to."`
		Label  string            `json:"label" example:"Linen shirt"`
		Code   string            `json:"code,omitempty" example:"LS-104" doc:"Absent if it has no code, or if the label is the code."`
		Detail string            `json:"detail,omitempty" example:"Blue" doc:"More text that identifies the record."`
		List   listName          `json:"list,omitempty" doc:"For a view of a list: the list. The table is then empty."`
		Search map[string]string `json:"search,omitempty" doc:"For a view of a list: the parameters of its address." example:"{\"tab\":\"overdue\"}"`
	}
)

// searchOperations find records.
func (s *Server) searchOperations(a *appAPI) {
	register(a, operation{
		id: "search", method: http.MethodGet, path: "workspaces/{workspace}/search", tag: "Tables", needs: auth.Read,
		summary: "Find records by number, code or name",
		about: "Finds purchase orders, orders, products, suppliers, customers, open failed imports, tables and saved views by the beginning of a number, a code or a word of a name. " +
			"If there are several words, all must match. Case, accents and separators do not matter: ab12 finds AB-12. Exact matches come first, then codes, then names.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Q string `query:"q" required:"true" maxLength:"200" example:"po-10" doc:"The text to search for. Words after the eighth are ignored."`
	}) (*body[foundJSON], error) {
		found, err := s.Search.Find(ctx, by(ctx).Principal, in.Q)
		out := foundJSON{Items: []hitJSON{}, More: found.More}
		for _, hit := range found.Hits {
			out.Items = append(out.Items, toHitJSON(hit))
		}
		return &body[foundJSON]{out}, err
	})
}

func toHitJSON(hit search.Hit) hitJSON {
	return hitJSON{
		Kind: hit.Kind, ID: hit.ID, Table: hit.Table, Label: hit.Label, Code: hit.Code, Detail: hit.Detail,
		List: listName(hit.List), Search: hit.Search,
	}
}
