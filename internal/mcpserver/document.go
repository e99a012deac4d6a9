package mcpserver

import (
	"slices"
	"time"
	"unicode/utf8"

	"github.com/google/uuid"

	"github.com/quayside/quayside/internal/auth"
	"github.com/quayside/quayside/internal/playbook"
)

// This file has what the tools for strategies and for SOPs share.

type (
	// editionShown is what answers say about the version of a document that they show.
	editionShown struct {
		ID        uuid.UUID       `json:"id"`
		Version   int64           `json:"version"`
		Status    playbook.Status `json:"status"`
		InForce   bool            `json:"in_force"` // whether this version is
		Newest    int64           `json:"newest_version"`
		Effective int64           `json:"in_force_version"` // 0: none
		Author    auth.ActorType  `json:"author"`
		Note      string          `json:"note,omitempty"`
		CreatedAt time.Time       `json:"created_at"`
		Versions  []shownVersion  `json:"versions"` // the newest first
		More      bool            `json:"more_versions,omitzero"`
		Body      string          `json:"body"`
		BodyNext  int             `json:"body_next,omitzero"` // the body_from that continues the text
	}
	shownVersion struct {
		Version   int64           `json:"version"`
		Status    playbook.Status `json:"status"`
		Author    auth.ActorType  `json:"author"`
		CreatedAt time.Time       `json:"created_at"`
	}
	// storedDocument is the answer to a stored draft.
	storedDocument struct {
		Notice    string          `json:"notice"`
		Run       string          `json:"run_id"`
		ID        uuid.UUID       `json:"id"`
		Slug      string          `json:"slug,omitempty"`
		Title     string          `json:"title"`
		Version   int64           `json:"version"`
		Status    playbook.Status `json:"status"`
		Effective int64           `json:"in_force_version"` // 0: none
	}
)

// mostVersionBytes limits the list of a document's versions.
const mostVersionBytes = 3_000

func toEdition[T any](e playbook.Edition[T], status playbook.Status, body string, from int) (editionShown, error) {
	shown := editionShown{
		ID: e.ID, Version: e.Version, Status: status, InForce: e.Version == e.InForce, Newest: e.Newest,
		Effective: e.InForce, Author: e.Author.Type, Note: *clipped(&e.Note), CreatedAt: e.CreatedAt.UTC(),
	}
	for _, one := range e.Versions {
		shown.Versions = append(shown.Versions,
			shownVersion{one.Version, one.Status, one.Author.Type, one.CreatedAt.UTC()})
	}
	var cut bool
	shown.Versions, cut = fit(shown.Versions, mostVersionBytes)
	shown.More = cut || e.More
	if from < 0 || from > utf8.RuneCountInString(body) {
		return shown, wrong("body_from", "the text has %d characters", utf8.RuneCountInString(body))
	}
	shown.Body, shown.BodyNext = piece(body, from, mostRowBytes)
	return shown, nil
}

// piece returns the part of a text that begins with a character and fits into the given bytes of JSON,
// and the character that continues it, or 0 at the end.
func piece(text string, from, bytes int) (part string, next int) {
	characters := []rune(text)[from:]
	for i, r := range characters {
		if bytes -= quoted(r); bytes < 0 {
			return string(characters[:i]), from + i
		}
	}
	return string(characters), 0
}

// draftUnless returns the status that a caller sent, or that of a proposal.
func draftUnless(status playbook.Status) playbook.Status {
	if status == "" {
		return playbook.Draft
	}
	return status
}

// after returns the items of a list that follow the named one, as many as fit, and whether there are
// more. An empty name begins the list.
func after[T any](items []T, name string, named func(T) string) (rest []T, more bool, err error) {
	from := 1 + slices.IndexFunc(items, func(one T) bool { return named(one) == name })
	if from == 0 && name != "" {
		return nil, false, wrong("after", "it is not in the list")
	}
	rest, more = fit(items[from:], mostRowBytes)
	return rest, more, nil
}
