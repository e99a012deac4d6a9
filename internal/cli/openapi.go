package cli

import (
	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/app"
)

func openapiCommand() *cobra.Command {
	return &cobra.Command{
		Use:    "openapi",
		Short:  "Print the API's description as OpenAPI 3.1",
		Args:   cobra.NoArgs,
		Hidden: true, // a running service serves it at /api/openapi.json
		RunE: func(cmd *cobra.Command, _ []string) error {
			document, err := app.OpenAPI()
			if err != nil {
				return &failure{err: err}
			}
			_, err = cmd.OutOrStdout().Write(document)
			return err
		},
	}
}
