package audit

import "github.com/google/uuid"

// HashOfSeal returns the hash of a seal, for tests that write a chain anew.
func HashOfSeal(tenant uuid.UUID, number int64, sealedAt string, row uuid.UUID, rowHash, previous []byte) []byte {
	hash := seal{tenant, number, sealedAt, row, rowHash}.after(previous)
	return hash[:]
}
