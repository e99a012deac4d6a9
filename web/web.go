// Package web holds the built web app, so that the binary needs no files beside it.
//
// dist is made by 'npm run build' and not committed: without it the binary still builds,
// and serves a page that says how to build the app.
package web

import (
	"embed"
	"io/fs"
)

//go:embed all:dist
var built embed.FS

// Dist is the built app. It has no index.html when the app was not built.
func Dist() fs.FS {
	dist, err := fs.Sub(built, "dist")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return dist
}
