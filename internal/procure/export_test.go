package procure

// HurryPreviews leaves previews no time to compute anything.
func (s *Service) HurryPreviews() { s.patience = 0 }

// CrowdPreviews takes all places of previews, until the returned function is called.
func (s *Service) CrowdPreviews() (leave func()) {
	for range mostPreviews {
		s.previews <- struct{}{}
	}
	return func() {
		for range mostPreviews {
			<-s.previews
		}
	}
}
