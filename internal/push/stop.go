package push

import (
	"context"
	"io"
)

// stoppable fails the next read once its context ends.
type stoppable struct {
	ctx context.Context
	io.ReadCloser
}

func (s *stoppable) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.ReadCloser.Read(p)
}

// breakable also ends a read that blocks, as on a pipe without input.
type breakable struct {
	ctx    context.Context
	chunks chan chunk
	rest   chunk
}

type chunk struct {
	bytes []byte
	err   error
}

func newBreakable(ctx context.Context, reader io.Reader) *breakable {
	b := &breakable{ctx: ctx, chunks: make(chan chunk)}
	go func() {
		for {
			buffer := make([]byte, 32<<10)
			n, err := reader.Read(buffer)
			select {
			case b.chunks <- chunk{buffer[:n], err}:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return b
}

func (b *breakable) Read(p []byte) (int, error) {
	if len(b.rest.bytes) == 0 {
		if b.rest.err != nil {
			return 0, b.rest.err
		}
		select {
		case b.rest = <-b.chunks:
		case <-b.ctx.Done():
			return 0, b.ctx.Err()
		}
	}
	n := copy(p, b.rest.bytes)
	b.rest.bytes = b.rest.bytes[n:]
	if n == 0 {
		return 0, b.rest.err
	}
	return n, nil
}
