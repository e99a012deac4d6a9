package mcpserver

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/playbook"
)

// The SOPs that are in force are resources, which people choose for their assistants. Reading and
// listing them is limited, checked and recorded as a call of a tool is. Drafts are never among them.

const (
	sopURI   = "quayside://sops/"
	markdown = "text/markdown"
	// mostResources is how many resources a page has.
	mostResources = 100
)

var sopTemplate = &mcp.ResourceTemplate{
	Name: "sop", Title: "SOP", URITemplate: sopURI + "{slug}", MIMEType: markdown,
	Description: "A standard operating procedure of the playbook that is in force.",
}

// private keeps shared caches from storing a company's data; the SDK's default is public.
var private = mcp.Cacheable{CacheScope: "private"}

// readSOP serves one SOP.
func (s *Server) readSOP(ctx context.Context, request *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := request.Params.URI
	return resource(ctx, s, uri, request.Params.Meta, "resources/read", func(by auth.Principal) (*mcp.ReadResourceResult, error) {
		sop, err := s.Playbook.SOPInForce(ctx, by, strings.TrimPrefix(uri, sopURI))
		if err != nil {
			return nil, err
		}
		return &mcp.ReadResourceResult{Cacheable: private,
			Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: markdown, Text: sopText(sop)}}}, nil
	})
}

// sopText returns an SOP as one text. The notice stands before everything that people wrote.
func sopText(sop playbook.Document[playbook.SOP]) string {
	c := sop.Content
	return fmt.Sprintf("> %s\n\n# %s\n\nVersion %d, for the role %s. When: %s\n\n%s\n", notice, c.Title, sop.Version,
		c.OwnerRole, c.Trigger, c.Body)
}

// listingSOPs answers resources/list. The SDK's own list is the same for all callers.
func (s *Server) listingSOPs(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, request mcp.Request) (mcp.Result, error) {
		if method != "resources/list" {
			return next(ctx, method, request)
		}
		params, _ := request.GetParams().(*mcp.ListResourcesParams)
		if params == nil {
			params = &mcp.ListResourcesParams{}
		}
		listed, err := resource(ctx, s, sopURI, params.Meta, method, func(by auth.Principal) (*mcp.ListResourcesResult, error) {
			sops, err := s.Playbook.SOPsInForce(ctx, by)
			return toResources(sops, params.Cursor), err
		})
		if err != nil {
			return nil, err // a nil result of this type is not a nil mcp.Result
		}
		return listed, nil
	}
}

// toResources returns the page of SOPs, sorted by slug, that follows the slug in the cursor.
func toResources(sops []playbook.Document[playbook.SOP], cursor string) *mcp.ListResourcesResult {
	page := &mcp.ListResourcesResult{Cacheable: private, Resources: []*mcp.Resource{}}
	from, found := slices.BinarySearchFunc(sops, cursor, func(sop playbook.Document[playbook.SOP], slug string) int {
		return strings.Compare(sop.Content.Slug, slug)
	})
	if found {
		from++
	}
	sops = sops[from:]
	if len(sops) > mostResources {
		sops = sops[:mostResources]
		page.NextCursor = sops[mostResources-1].Content.Slug
	}
	for _, sop := range sops {
		page.Resources = append(page.Resources, &mcp.Resource{URI: sopURI + sop.Content.Slug, Name: sop.Content.Slug,
			Title: sop.Content.Title, Description: sop.Content.Trigger, MIMEType: markdown})
	}
	return page
}

// resource answers a request about resources as add answers a call of a tool. A refusal is an error of
// the protocol, with what an assistant can act on in its data.
func resource[T any](ctx context.Context, s *Server, uri string, meta mcp.Meta, method string,
	read func(auth.Principal) (T, error)) (T, error) {
	start := time.Now()
	answer, err := guarded(ctx, s.Log, method, func() (none T, err error) {
		by := caller(ctx)
		by.Tool, by.Run = method, run(ctx, meta, nil)
		subject, _ := clip(uri, shortText)
		if err := s.admit(ctx, by, auth.Read, "resource.read", subject); err != nil {
			return none, err
		}
		return read(by)
	})
	if err == nil {
		s.Metrics.Tool(method, "ok", time.Since(start))
		return answer, nil
	}
	status, public := fault.Public(err)
	s.Metrics.Tool(method, public.Code, time.Since(start))
	if status == http.StatusInternalServerError {
		s.Log.ErrorContext(ctx, "resource failed", "method", method, "err", err)
	}
	return answer, toProtocolError(uri, public)
}

func toProtocolError(uri string, public *fault.Error) error {
	if public.Kind == fault.NotFound {
		return mcp.ResourceNotFoundError(uri)
	}
	refusal := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: public.Message, Data: toRefusal(public)}
	if public.Kind == fault.Internal || public.Kind == fault.Unavailable {
		refusal.Code = jsonrpc.CodeInternalError
	}
	return refusal
}
