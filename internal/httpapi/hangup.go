package httpapi

import (
	"context"
	"net"

	"github.com/quayside/quayside/internal/fault"
)

// errHungUp refuses a record whose sender has gone. Nobody reads the answer.
var errHungUp = fault.New(fault.Unavailable, "caller_gone", "temporarily unavailable")

type connKey struct{}

// ConnContext lets handlers check whether their caller is still connected. It is for
// http.Server.ConnContext.
func ConnContext(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, conn)
}

// hungUp reports whether the caller has closed the connection. A process that was suspended
// finds requests in its sockets whose callers gave up long ago and have sent newer records
// elsewhere; storing the old ones would overwrite the new. The request's context ends too, but
// only after a goroutine has noticed.
func hungUp(ctx context.Context) bool {
	conn, _ := ctx.Value(connKey{}).(net.Conn)
	return conn != nil && closedByPeer(conn)
}
