package httpapi

// Patterns are all the routes there are, for tests that walk them.
func (s *Server) Patterns() []string { return s.mux().patterns }
