package httpapi

import (
	"context"
	"net/http"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/search"
)

type (
	foundJSON struct {
		Items []hitJSON `json:"items" doc:"At most 20. Those of a kind stand together, the kind of the best hit first."`
		More  bool      `json:"more" doc:"There are, or may be, others: say more of what you look for."`
	}
	hitJSON struct {
		Kind   search.Kind       `json:"kind" enum:"purchase_order,supplier,product,customer,order,failed_import,table,view" example:"product"`
		ID     string            `json:"id" doc:"A purchase order's is its number, a table's its slug."`
		Table  string            `json:"table" example:"products" doc:"The slug of the table that it is in; of a failed import, the one that it was meant for."`
		Label  string            `json:"label" example:"Linen shirt"`
		Code   string            `json:"code,omitempty" example:"LS-104" doc:"Absent: it has none but the label."`
		Detail string            `json:"detail,omitempty" example:"Blue" doc:"What else tells it apart."`
		List   listName          `json:"list,omitempty" doc:"Of a view of a list: which one. Its table is empty."`
		Search map[string]string `json:"search,omitempty" doc:"Of a view of a list: what its address says." example:"{\"tab\":\"overdue\"}"`
	}
)

// searchOperations find records.
func (s *Server) searchOperations(a *appAPI) {
	register(a, operation{
		id: "search", method: http.MethodGet, path: "workspaces/{workspace}/search", tag: "Tables", needs: auth.Read,
		summary: "Find records by number, code or name",
		about: "Purchase orders, orders, products, suppliers, customers, open failed imports, tables and saved views of which a number, a code or a word of a name begins with what you typed; " +
			"of several words, with each of them. Capitals, accents and what stands between letters and digits do not matter: ab12 finds AB-12. What matches exactly comes first, then codes, then names.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Q string `query:"q" required:"true" maxLength:"200" example:"po-10" doc:"Its first eight words count."`
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
