package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/exchange"
)

type (
	matchJSON struct {
		Kind        string                `json:"kind" enum:"supplier,article,location"`
		ID          string                `json:"id" doc:"Ours."`
		Name        string                `json:"name,omitempty" doc:"Absent for a location: those have no names here."`
		Code        string                `json:"code,omitempty" doc:"A supplier's external id, an article's SKU."`
		OpenLines   int64                 `json:"open_lines" doc:"Lines that are not received and not cancelled."`
		OrderNo     string                `json:"order_no,omitempty" doc:"One of the orders with these lines."`
		There       *counterpartJSON      `json:"there,omitempty" doc:"Absent if it has no counterpart yet."`
		Suggestions []matchSuggestionJSON `json:"suggestions" doc:"What it may be there; at most 5."`
	}
	counterpartJSON struct {
		ID   string    `json:"id"`
		Name string    `json:"name,omitempty"`
		By   actorJSON `json:"by" doc:"Who chose it. A sync chooses articles whose SKU means one article on both sides."`
		At   time.Time `json:"at"`
	}
	matchSuggestionJSON struct {
		ID   string `json:"id"`
		Name string `json:"name,omitempty"`
		Sure bool   `json:"sure" doc:"Nothing else on either side has this name or SKU."`
	}
	matchCountJSON struct {
		Kind    string `json:"kind" enum:"supplier,article,location"`
		Needed  int64  `json:"needed" doc:"By open lines."`
		Missing int64  `json:"missing" doc:"Of these, without a counterpart."`
		Mapped  int64  `json:"mapped" doc:"With a counterpart, in all."`
	}
	matchesJSON struct {
		Items      []matchJSON      `json:"items"`
		NextCursor string           `json:"next_cursor,omitempty" doc:"Send it as cursor for the next page. Absent on the last page."`
		Counts     []matchCountJSON `json:"counts" doc:"One for each kind."`
		Trouble    string           `json:"trouble,omitempty" doc:"Why there are no suggestions, in words. Absent if the other system was asked."`
	}
	catalogueItemJSON struct {
		ID   string `json:"id"`
		Name string `json:"name,omitempty" doc:"An article's SKU."`
	}
	catalogueJSON struct {
		Items []catalogueItemJSON `json:"items"`
	}
	acceptedMatchesJSON struct {
		Accepted int64 `json:"accepted" doc:"Counterparts that were kept."`
		Looked   int   `json:"looked" doc:"Things without a counterpart that were looked at."`
		More     bool  `json:"more" doc:"There are more to look at: accept again."`
	}
)

// exchangeIDOperations are about what is what on both sides of a connection.
func (s *Server) exchangeIDOperations(a *appAPI) {
	const tag, this = "Connections", "workspaces/{workspace}/connections/{connection}"
	const needs = auth.ManageConnections
	register(a, operation{
		id: "listExchangeMatches", method: http.MethodGet, path: this + "/matches", tag: tag, needs: needs,
		summary: "What is what on both sides",
		about: "Suppliers, articles or locations, and what each is in the other system. Those with open lines come first. " +
			"The other system is asked for suggestions: suppliers by name, articles by SKU. If it does not answer, trouble says so.",
	}, func(ctx context.Context, in *struct {
		OneConnection
		Paged
		Kind     string `query:"kind" enum:"supplier,article,location" default:"supplier"`
		Unmapped bool   `query:"unmapped" doc:"Only those without a counterpart."`
		Text     string `query:"q" doc:"In the name, the SKU or the id."`
	}) (*body[matchesJSON], error) {
		page, err := s.Exchange.Matches(ctx, by(ctx).Principal, in.Connection, exchange.MatchFilter{
			Kind: exchange.MatchKind(in.Kind), Unmapped: in.Unmapped, Text: in.Text, Cursor: in.Cursor, Most: in.Limit})
		return &body[matchesJSON]{toMatchesJSON(page)}, err
	})
	register(a, operation{
		id: "listExchangeCatalogue", method: http.MethodGet, path: this + "/catalogue", tag: tag, needs: needs,
		summary: "What the other system has",
		about:   "Its suppliers, its locations, or its articles with a SKU. Calls the other system and changes nothing there.",
	}, func(ctx context.Context, in *struct {
		OneConnection
		Kind string `query:"kind" enum:"supplier,article,location" default:"supplier"`
		SKU  string `query:"sku" doc:"Required for articles."`
	}) (*body[catalogueJSON], error) {
		things, err := s.Exchange.Catalogue(ctx, by(ctx).Principal, in.Connection, exchange.MatchKind(in.Kind), in.SKU)
		shown := catalogueJSON{Items: []catalogueItemJSON{}}
		for _, one := range things {
			shown.Items = append(shown.Items, catalogueItemJSON{one.ID, one.Name})
		}
		return &body[catalogueJSON]{shown}, err
	})
	s.exchangeMatchOperations(a, tag, this)
	register(a, operation{
		id: "rehearseExchange", method: http.MethodPost, path: this + "/rehearsal", tag: tag, needs: needs,
		summary: "What a sync would do",
		about: "Compares both sides and says for each order what would be created, changed, left alone, held or asked. Nothing is " +
			"written on either side. It looks at the newest 200 open orders here and at up to 1,000 there, within about 20 seconds " +
			"and the connection's budget of calls; what it did not look at is said.",
	}, func(ctx context.Context, in *OneConnection) (*body[rehearsalJSON], error) {
		result, err := s.Exchange.Rehearse(ctx, by(ctx).Principal, in.Connection)
		return &body[rehearsalJSON]{toRehearsalJSON(result)}, err
	})
}

// exchangeMatchOperations change what is what.
func (s *Server) exchangeMatchOperations(a *appAPI, tag, this string) {
	const needs = auth.ManageConnections
	register(a, operation{
		id: "chooseExchangeMatch", method: http.MethodPost, path: this + "/matches", tag: tag, needs: needs,
		status: http.StatusNoContent, summary: "Choose what something is in the other system",
		about: "Replaces what was chosen before. One thing there stands for one here (counterpart_taken). Orders that waited for " +
			"it are compared again.",
	}, func(ctx context.Context, in *struct {
		OneConnection
		Body struct {
			Kind   string `json:"kind" enum:"supplier,article,location" example:"location"`
			ID     string `json:"id" example:"0192b6a1-7d3c-7e51-9f0a-5b1d2c3e4f60" doc:"Ours."`
			Theirs string `json:"theirs" example:"12" doc:"Its id there."`
			Name   string `json:"name,omitempty" example:"Main warehouse" doc:"What it is called there, for people."`
		}
	}) (*nothing, error) {
		return nil, s.Exchange.Choose(ctx, by(ctx).Principal, in.Connection, exchange.Choice{
			Kind: exchange.MatchKind(in.Body.Kind), ID: in.Body.ID, Theirs: in.Body.Theirs, Name: in.Body.Name})
	})
	register(a, operation{
		id: "acceptExchangeMatches", method: http.MethodPost, path: this + "/matches/accept", tag: tag, needs: needs,
		summary: "Accept all sure suggestions",
		about: "Looks at up to 500 suppliers or articles without a counterpart, those with open lines first, and keeps the " +
			"suggestions that nothing else on either side could be. more says whether there are others to look at.",
	}, func(ctx context.Context, in *struct {
		OneConnection
		Body struct {
			Kind string `json:"kind" enum:"supplier,article,location" example:"supplier"`
		}
	}) (*body[acceptedMatchesJSON], error) {
		result, err := s.Exchange.Accept(ctx, by(ctx).Principal, in.Connection, exchange.MatchKind(in.Body.Kind))
		return &body[acceptedMatchesJSON]{acceptedMatchesJSON(result)}, err
	})
	register(a, operation{
		id: "forgetExchangeMatch", method: http.MethodPost, path: this + "/matches/forget", tag: tag, needs: needs,
		status: http.StatusNoContent, summary: "Forget what something is in the other system",
		about: "What was synced stays as it is on both sides.",
	}, func(ctx context.Context, in *struct {
		OneConnection
		Body struct {
			Kind string `json:"kind" enum:"supplier,article,location" example:"location"`
			ID   string `json:"id" example:"0192b6a1-7d3c-7e51-9f0a-5b1d2c3e4f60" doc:"Ours."`
		}
	}) (*nothing, error) {
		return nil, s.Exchange.Forget(ctx, by(ctx).Principal, in.Connection, exchange.MatchKind(in.Body.Kind), in.Body.ID)
	})
}

func toMatchesJSON(page exchange.MatchPage) matchesJSON {
	shown := matchesJSON{Items: []matchJSON{}, Counts: []matchCountJSON{}, NextCursor: page.Next, Trouble: page.Trouble}
	for _, one := range page.Items {
		match := matchJSON{Kind: string(one.Kind), ID: one.ID, Name: one.Name, Code: one.Code, OpenLines: one.OpenLines,
			OrderNo: one.Order, Suggestions: []matchSuggestionJSON{}}
		if there := one.There; there != nil {
			match.There = &counterpartJSON{ID: there.ID, Name: there.Name, At: there.At.UTC(),
				By: actorJSON{Type: string(there.By.Type), ID: there.By.ID}}
		}
		for _, suggestion := range one.Suggestions {
			match.Suggestions = append(match.Suggestions, matchSuggestionJSON(suggestion))
		}
		shown.Items = append(shown.Items, match)
	}
	for _, count := range page.Counts {
		shown.Counts = append(shown.Counts, matchCountJSON{string(count.Kind), count.Needed, count.Missing, count.Mapped})
	}
	return shown
}
