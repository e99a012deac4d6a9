package app

import (
	"container/list"
	"context"
	"net"
	"net/http"
	"sync"
	"syscall"

	"github.com/quayside/quayside/internal/httpapi"
)

const (
	// spareConns are accepted beyond the limit, for probes.
	spareConns = 16
	// metricsConns is how many connections the listener for metrics has.
	metricsConns = 16
	// ownFiles are descriptors for everything that is no connection of a caller and no connection of a pool: commits
	// that are not answered yet, the spool, logs, files that are imported, and calls to other systems.
	ownFiles = 64
	// fewestConns are accepted however few descriptors there are.
	fewestConns = 16
	// mostConns bounds them where the system does not.
	mostConns = 1 << 20
)

// connsAllowed returns how many connections callers may have, so that descriptors are left for the service itself.
func connsAllowed(descriptors uint64, pools int32) int {
	return max(fewestConns, int(min(descriptors, mostConns))-int(pools)-spareConns-metricsConns-ownFiles)
}

// descriptors returns how many the process may have.
func descriptors() uint64 {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return mostConns
	}
	return limit.Cur
}

// gate bounds the connections of a listener, so that callers who keep idle or slow ones do not take the descriptors
// that the service needs to answer anybody. At the limit, a new connection takes the place of the one that has waited
// longest without a request. If requests are under way on all of them, it becomes a spare one, which gets one answer:
// probes are answered, and everything else is refused. The oldest spare one makes room for the next.
type gate struct {
	mu     sync.Mutex
	main   room
	spares room
	guests map[net.Conn]*guest
}

// room is a number of places, and those in it that wait without a request, the longest waiting first.
type room struct {
	limit, taken int
	waiting      *list.List
}

// guest is an open connection.
type guest struct {
	conn net.Conn
	room *room
	wait *list.Element // nil while a request is under way, unless it is a spare one
}

func newGate(limit, spares int) *gate {
	return &gate{
		main: room{limit: limit, waiting: list.New()}, spares: room{limit: spares, waiting: list.New()},
		guests: map[net.Conn]*guest{},
	}
}

// gated is a listener behind a gate.
type gated struct {
	net.Listener
	gate *gate
}

// Accept waits for the next connection.
func (g gated) Accept() (net.Conn, error) {
	conn, err := g.Listener.Accept()
	if err == nil {
		if gone := g.gate.admit(conn); gone != nil {
			_ = gone.Close()
		}
	}
	return conn, err
}

// admit takes a connection in, and returns the one to be closed for it, if any. That is the new one itself if
// requests are under way on all others and there are no spare places.
func (g *gate) admit(conn net.Conn) (gone net.Conn) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, in := range []*room{&g.main, &g.spares} {
		if in.taken >= in.limit {
			oldest := in.waiting.Front()
			if oldest == nil {
				continue
			}
			gone = oldest.Value.(*guest).conn //nolint:forcetypeassert // nothing else is in it
			g.forget(gone)
		}
		came := &guest{conn: conn, room: in}
		came.wait = in.waiting.PushBack(came)
		in.taken++
		g.guests[conn] = came
		return gone
	}
	return conn
}

// changed is http.Server's ConnState.
func (g *gate) changed(conn net.Conn, state http.ConnState) {
	g.mu.Lock()
	defer g.mu.Unlock()
	is := g.guests[conn]
	if is == nil {
		return // it was closed to make room
	}
	switch state {
	case http.StateActive:
		// A spare one goes on to count as waiting: after its answer it stays open for a while, and must not keep a
		// probe out.
		if is.wait != nil && is.room == &g.main {
			is.room.waiting.Remove(is.wait)
			is.wait = nil
		}
	case http.StateIdle:
		if is.wait == nil {
			is.wait = is.room.waiting.PushBack(is)
		}
	case http.StateClosed, http.StateHijacked:
		g.forget(conn)
	case http.StateNew:
	}
}

// forget frees a connection's place.
func (g *gate) forget(conn net.Conn) {
	is := g.guests[conn]
	if is.wait != nil {
		is.room.waiting.Remove(is.wait)
	}
	is.room.taken--
	delete(g.guests, conn)
}

// mark is http.Server's ConnContext: it marks the spare ones.
func (g *gate) mark(ctx context.Context, conn net.Conn) context.Context {
	ctx = httpapi.ConnContext(ctx, conn)
	g.mu.Lock()
	defer g.mu.Unlock()
	if is := g.guests[conn]; is != nil && is.room == &g.spares {
		return httpapi.ForProbes(ctx)
	}
	return ctx
}

// open returns how many connections there are.
func (g *gate) open() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.guests)
}
