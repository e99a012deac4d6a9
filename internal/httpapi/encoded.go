package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/maypok86/otter/v2"

	"github.com/quayside/quayside/internal/query"
)

// Answers that stay the same until somebody changes a definition are encoded once and kept, by what they were made from.

const (
	// mostEncoded bounds the memory of kept answers, in bytes.
	mostEncoded = 32 << 20
	// encodedFor is how long an answer is kept that nobody asks for.
	encodedFor = 10 * time.Minute
)

// Unchanged is an operation whose caller may have its answer already.
type Unchanged struct {
	IfNoneMatch string `header:"If-None-Match" doc:"The ETag of the answer that you have. If it is still the same, the answer is 304 without a body."`
}

// aboutUnchanged describes such an operation.
const aboutUnchanged = "The answer has an ETag. Send it as If-None-Match the next time; if nothing has changed, the answer is 304 without a body."

// encodedAnswer is an answer that is encoded already.
type encodedAnswer struct {
	Status       int
	ETag         string `header:"ETag" doc:"Changes with the answer."`
	CacheControl string `header:"Cache-Control" hidden:"true"`
	ContentType  string `header:"Content-Type" hidden:"true"`
	Body         []byte
}

// encoding is a kept answer.
type encoding struct {
	body []byte
	etag string
}

// encodings keeps answers.
type encodings struct {
	cache *otter.Cache[[sha256.Size]byte, encoding]
}

func newEncodings() *encodings {
	return &encodings{otter.Must(&otter.Options[[sha256.Size]byte, encoding]{
		MaximumWeight:    mostEncoded,
		Weigher:          func(_ [sha256.Size]byte, one encoding) uint32 { return uint32(len(one.body)) + 200 }, //nolint:gosec // megabytes
		ExpiryCalculator: otter.ExpiryAccessing[[sha256.Size]byte, encoding](encodedFor),
	})}
}

// answer returns what was made from the stamp, or makes it. The ETag is a hash of the answer, so that it changes also with a
// release that says more.
func (e *encodings) answer(asked Unchanged, stamp string, value func() any) (*encodedAnswer, error) {
	key := sha256.Sum256([]byte(stamp))
	kept, found := e.cache.GetIfPresent(key)
	if !found {
		var text bytes.Buffer
		if err := huma.DefaultJSONFormat.Marshal(&text, value()); err != nil {
			return nil, err
		}
		body := bytes.Clone(text.Bytes())
		hash := sha256.Sum256(body)
		kept = encoding{body, `"` + base64.RawURLEncoding.EncodeToString(hash[:16]) + `"`}
		e.cache.Set(key, kept)
	}
	out := &encodedAnswer{Status: http.StatusOK, ETag: kept.etag, ContentType: "application/json", Body: kept.body,
		// Whoever has left must not be shown it again, so every use is checked.
		CacheControl: "private, no-cache"}
	if names(asked.IfNoneMatch, kept.etag) {
		out.Status, out.Body = http.StatusNotModified, nil
	}
	return out, nil
}

// names reports whether If-None-Match names an ETag. Proxies that compress mark it as weak.
func names(header, etag string) bool {
	for one := range strings.SplitSeq(header, ",") {
		if one = strings.TrimSpace(one); one == "*" || strings.TrimPrefix(one, "W/") == etag {
			return true
		}
	}
	return false
}

// stampOf returns the stamp of all relations of a list.
func stampOf(tables []query.Listed) string {
	var stamp strings.Builder
	stamp.WriteString("all")
	for _, table := range tables {
		stamp.WriteByte(' ')
		stamp.WriteString(table.Stamp())
	}
	return stamp.String()
}

// answersUnchanged describes that the operation may answer 304.
func (a *appAPI) answersUnchanged(path string) {
	a.OpenAPI().Paths[appPrefix+path].Get.Responses["304"] = &huma.Response{Description: "The answer is the one that the caller has."}
}
