package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/blueprint"
)

type (
	templateJSON struct {
		Platform blueprint.Platform `json:"platform" enum:"make,n8n" doc:"The automation platform."`
		Title    string             `json:"title" example:"Make scenario"`
		About    string             `json:"about" doc:"What the template does, and how it handles errors."`
		FileName string             `json:"file_name" example:"quayside-orders-make.json"`
		Steps    []string           `json:"steps" doc:"How to import the template and start it."`
	}
	// templateFile is a template as a file.
	templateFile struct {
		ContentType        string `header:"Content-Type"`
		ContentDisposition string `header:"Content-Disposition" doc:"An attachment, with the file's name."`
		Body               []byte `contentType:"application/json"`
	}
)

// templateOperations are about flow templates for automation platforms.
func (s *Server) templateOperations(a *appAPI) {
	const tag, path = "Data sources", "workspaces/{workspace}/sources/{slug}/templates"
	register(a, operation{
		id: "listTemplates", method: http.MethodGet, path: path, tag: tag, needs: auth.Read,
		summary: "List flow templates for a table",
		about:   "Each template is a file for an automation platform. It contains no key.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Slug string `path:"slug" example:"orders"`
	}) (*body[list[templateJSON]], error) {
		one, err := s.Sources.Get(ctx, by(ctx).Principal, in.Slug)
		if err != nil {
			return nil, err
		}
		var items []templateJSON
		for _, t := range blueprint.List(one.Table) {
			items = append(items, templateJSON(t))
		}
		return listed(items, false, func(templateJSON) uuid.UUID { return uuid.Nil }), nil
	})
	register(a, operation{
		id: "getTemplate", method: http.MethodGet, path: path + "/{platform}", tag: tag, needs: auth.Read,
		summary: "Download a flow template",
		about:   "The file is generated from the table's current columns and sends to this service.",
	}, func(ctx context.Context, in *struct {
		InWorkspace
		Slug     string `path:"slug" example:"orders"`
		Platform string `path:"platform" enum:"make,n8n"`
	}) (*templateFile, error) {
		one, err := s.Sources.Get(ctx, by(ctx).Principal, in.Slug)
		if err != nil {
			return nil, err
		}
		text, file, err := blueprint.Document(blueprint.Platform(in.Platform), one.Table, s.endpoint(one.Slug))
		return &templateFile{"application/json", `attachment; filename="` + file + `"`, text}, err
	})
	// huma describes raw bytes as binary data, but this is JSON.
	file := a.OpenAPI().Paths[appPrefix+path+"/{platform}"].Get.Responses["200"].Content["application/json"]
	file.Schema = &huma.Schema{Type: huma.TypeObject, AdditionalProperties: true,
		Description: "The platform's own format."}
}
