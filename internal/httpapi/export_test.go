package httpapi

// Patterns returns all routes, for tests that walk through them.
func (s *Server) Patterns() []string { return s.mux().patterns }
