// Package docs holds the documentation, so that the binary can serve it.
//
// dist is the site that 'npm run build' makes of the Markdown files. It is not committed: without
// it the binary still builds, and serves the Markdown files alone.
package docs

import "embed"

// Files are the Markdown files, llms.txt, and below dist the site.
//
//go:embed *.md decisions/*.md guide/*.md llms.txt all:dist
var Files embed.FS
