package shop_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quayside/quayside/internal/shop"
)

// TestTruth reads the truth back.
func TestTruth(t *testing.T) {
	t.Parallel()
	made := shop.Make(shop.Options{Seed: 5, Today: today, Articles: 20, Days: 90})
	var file bytes.Buffer
	require.NoError(t, made.WriteTruth(&file))
	scanner := bufio.NewScanner(&file)
	scanner.Buffer(nil, 1<<20)
	require.True(t, scanner.Scan())
	var head struct {
		FirstDay string `json:"first_day"`
		Families []struct{ Season []float64 }
	}
	require.NoError(t, json.Unmarshal(scanner.Bytes(), &head))
	require.Equal(t, made.Date(0).Format(time.DateOnly), head.FirstDay)
	require.Len(t, head.Families, len(made.Families))
	for i := range made.Articles {
		require.True(t, scanner.Scan())
		var article struct {
			SKU  string
			Sold []int32
			Mean []float32
		}
		require.NoError(t, json.Unmarshal(scanner.Bytes(), &article))
		require.Equal(t, made.Articles[i].SKU, article.SKU)
		require.Equal(t, made.History[i].Sold, article.Sold)
		require.Equal(t, made.History[i].Mean, article.Mean)
	}
	require.False(t, scanner.Scan())
}
