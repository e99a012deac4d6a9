package shop

import (
	"bufio"
	"encoding/json"
	"io"
	"time"
)

// WriteTruth writes the truth about the shop as NDJSON: first a line about the shop, then a line
// for each article with its days and purchases. Days are counted from first_day, and articles in
// the order of their lines, both from 0.
func (s *Shop) WriteTruth(w io.Writer) error {
	out := bufio.NewWriter(w)
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(s.head()); err != nil {
		return err
	}
	purchases := make([][][4]int, len(s.Articles))
	for _, p := range s.Purchases {
		purchases[p.Article] = append(purchases[p.Article], [4]int{p.Ordered, p.Due, p.Arrived, p.Quantity})
	}
	for i := range s.Articles {
		if err := encoder.Encode(s.truth(i, purchases[i])); err != nil {
			return err
		}
	}
	return out.Flush()
}

type family struct {
	Name   string      `json:"family"`
	Season [12]float64 `json:"season"` // January first
	Growth float64     `json:"growth"`
}

type supplier struct {
	ID     string  `json:"supplier"`
	Lead   int     `json:"stated_lead_days"`
	Median float64 `json:"median_lead_days"`
	Sigma  float64 `json:"sigma"`
}

type head struct {
	Seed      uint64      `json:"seed"`
	Law       Law         `json:"law"`
	FirstDay  string      `json:"first_day"`
	Days      int         `json:"days"`
	Families  []family    `json:"families"`
	Suppliers []supplier  `json:"suppliers"`
	Promoted  []Promotion `json:"promotions"`
	Outliers  []Outlier   `json:"outliers"`
}

func (s *Shop) head() head {
	h := head{Seed: s.Options.Seed, Law: s.Options.Law, FirstDay: s.Date(0).Format(time.DateOnly), Days: s.Options.Days,
		Promoted: s.Promotions, Outliers: s.Outliers}
	for _, f := range s.Families {
		h.Families = append(h.Families, family{f.Name, f.Season, f.Growth})
	}
	for _, from := range s.Suppliers {
		h.Suppliers = append(h.Suppliers, supplier{from.ID, from.Lead, from.Median, from.Sigma})
	}
	return h
}

// article is the truth about one article. Every field is always written.
type article struct {
	ID         string    `json:"external_id"`
	SKU        string    `json:"sku"`
	Family     string    `json:"family"`
	Supplier   string    `json:"supplier"`
	Pattern    Pattern   `json:"pattern"`
	Launch     int       `json:"launch"`
	End        int       `json:"end"`
	ReturnRate float64   `json:"return_rate"`
	Mean       []float32 `json:"mean"`
	Demanded   []int32   `json:"demanded"`
	Sold       []int32   `json:"sold"`
	Stock      []int32   `json:"stock"`
	Purchases  [][4]int  `json:"purchases"` // day ordered, due, arrived; quantity
}

func (s *Shop) truth(i int, purchases [][4]int) article {
	a, h := s.Articles[i], s.History[i]
	return article{
		ID: a.ID, SKU: a.SKU, Family: s.Families[a.Family].Name, Supplier: s.Suppliers[a.Supplier].ID,
		Pattern: a.Pattern, Launch: a.Launch, End: a.End, ReturnRate: a.ReturnRate, Mean: h.Mean, Demanded: h.Demanded,
		Sold: h.Sold, Stock: h.Stock, Purchases: purchases,
	}
}
