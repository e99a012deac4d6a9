package shop

import (
	"embed"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
)

//go:embed data/*.txt
var files embed.FS

// Lines reads an embedded list of the folder data without comments and empty lines.
func Lines(files embed.FS, name string) (found []string) {
	text, err := files.ReadFile("data/" + name)
	if err != nil {
		panic(err) // the file is embedded
	}
	for line := range strings.Lines(string(text)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			found = append(found, line)
		}
	}
	return found
}

// words returns the lists that names are made of.
func words() map[string][]string {
	lists := map[string][]string{}
	for _, line := range Lines(files, "words.txt") {
		name, list, _ := strings.Cut(line, "|")
		lists[name] = strings.Split(list, ",")
	}
	return lists
}

// number parses a number of an embedded list.
func number(text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// Money is an amount in hundredths of its currency.
type Money int64

// PoundsPerHundred is the price of a hundred euros in pounds. The shop uses these two
// currencies.
const PoundsPerHundred = 86

// In converts an amount from euros.
func (m Money) In(currency string) Money {
	if currency == "GBP" {
		return m.percent(PoundsPerHundred)
	}
	return m
}

// percent returns a share of an amount, rounded.
func (m Money) percent(p int) Money { return (m*Money(p) + 50) / 100 }

// Family is a group of articles that share their season.
type Family struct {
	Name     string
	Seasonal bool
	Season   [12]float64 // by month, January first; the mean is 1, and all are 1 without a season
	Growth   float64     // of the logarithm of demand, per year

	code              string
	priceLow, priceTo float64
	cost              int        // in percent of the price
	categories        []category // categories of its articles
}

type category struct {
	name   string
	things []string
}

func readFamilies() (all []Family) {
	for _, line := range Lines(files, "families.txt") {
		f := strings.Split(line, "|")
		family := Family{
			Name: f[0], code: f[1], priceLow: number(f[2]), priceTo: number(f[3]), cost: int(number(f[4])),
			Growth: math.Log(1 + number(f[5])/100), Seasonal: f[6] != "-",
		}
		for month := range family.Season {
			family.Season[month] = 1
		}
		if family.Seasonal {
			sum := 0.0
			for month, text := range strings.Fields(f[6]) {
				family.Season[month] = number(text)
				sum += number(text)
			}
			for month := range family.Season {
				family.Season[month] *= 12 / sum
			}
		}
		for text := range strings.SplitSeq(f[7], "; ") {
			name, things, _ := strings.Cut(text, ": ")
			family.categories = append(family.categories, category{name, strings.Split(things, ",")})
		}
		all = append(all, family)
	}
	return all
}

// Supplier is a company that sells articles to the shop. Real lead times have a lognormal
// distribution around Median with the given Sigma; Lead is the promised one.
type Supplier struct {
	ID, Name, Country, Currency string
	Lead                        int // days
	Median, Sigma               float64
	Cycle                       int // days between two orders
}

func makeSuppliers(o Options) []Supplier {
	lists := words()
	all := make([]Supplier, o.Suppliers)
	for i := range all {
		chance := o.dice("supplier", i)
		first, last := lists["supplierFirst"], lists["supplierLast"]
		s := Supplier{
			ID: fmt.Sprintf("SHOP-SUP-%03d", i+1), Name: first[i%len(first)] + " " + last[(i/len(first)+i)%len(last)],
			Country: []string{"DE", "NL", "FR", "IT", "GB"}[pick(chance, 40, 15, 15, 10, 20)], Currency: "EUR",
			Lead:  []int{4, 7, 10, 14, 21, 30, 45}[pick(chance, 1, 2, 3, 4, 3, 2, 1)],
			Cycle: []int{7, 14}[pick(chance, 3, 1)], Sigma: between(chance, 0.05, 0.25),
		}
		if round := i / (len(first) * len(last)); round > 0 {
			s.Name = fmt.Sprintf("%s %d", s.Name, round+1)
		}
		if s.Country == "GB" {
			s.Currency = "GBP"
		}
		s.Median = float64(s.Lead)
		if i%9 == 4 { // promises shorter lead times than it keeps
			s.Median, s.Sigma = s.Median*between(chance, 1.3, 1.7), between(chance, 0.35, 0.6)
		}
		all[i] = s
	}
	return all
}

// Pattern is how an article was made to sell. The class that a forecast finds in its sales may
// differ.
type Pattern string

// The patterns.
const (
	Smooth       Pattern = "smooth"
	Erratic      Pattern = "erratic"
	Intermittent Pattern = "intermittent"
	Lumpy        Pattern = "lumpy"
)

// Article is one variant.
type Article struct {
	ID, Parent, SKU, Name, Variant, Category string
	Family, Supplier                         int   // positions in the shop's lists
	Price, Cost                              Money // in euros
	Lot                                      int   // purchases are multiples of it

	Launch   int  // first day; negative: before the shop's first day
	End      int  // the day from which there is no demand, or Days
	Archived bool // the shop no longer offers it; otherwise it may be dead stock

	Pattern    Pattern
	Level      float64 // mean units a day, before season and other variations
	Size       float64 // mean units on a line
	ReturnRate float64 // share of sold units

	shape  float64 // of the negative binomial
	drift  float64 // of the logarithm of the level, per day
	nerve  float64 // how early it is ordered again, as a factor of the stock
	sizeOf float64 // mean units on a line, including the smaller last line of a day
}

// unevenness is the standard deviation of the logarithm of articles' levels: a few articles
// sell most.
const unevenness = 1.35

// makeArticles makes the articles, with levels that give about as many lines as Options.Lines.
func makeArticles(o Options, families []Family, suppliers []Supplier) []Article {
	all, wanted := make([]Article, o.Articles), 0.0
	lists := words()
	for i := range all {
		chance := o.dice("article", i)
		a := &all[i]
		a.Family = i % len(families)
		a.Supplier = (i/len(families)*5 + a.Family*3 + chance.IntN(3)) % len(suppliers)
		a.name(families, lists, i)
		a.cost(chance, families[a.Family])
		a.live(chance, o.Days)
		a.behave(chance)
		days := float64(a.End - max(a.Launch, 0))
		wanted += a.Level / a.sizeOf * days
	}
	for i := range all {
		all[i].Level *= float64(o.Lines) / wanted / kept
	}
	return all
}

// kept is the number of lines made per line of regular demand. Promotions, outliers and orders
// that are no sales add more lines than empty shelves take away.
const kept = 1.09

// name names the article. Articles go through the families in turn, then through their
// categories, then through the things in them, each in three variants.
func (a *Article) name(families []Family, lists map[string][]string, i int) {
	kinds, variants := lists["kind"], lists["variant"]
	family := families[a.Family]
	n := i / len(families)
	group := family.categories[n%len(family.categories)]
	n /= len(family.categories)
	thing := group.things[n%len(group.things)]
	n /= len(group.things)
	variant := n % 3
	n /= 3
	first := i - variant*len(families)*len(family.categories)*len(group.things) // variant of the product
	a.Category, a.Name, a.Variant = group.name, kinds[n%len(kinds)]+" "+thing, variants[(variant+n)%len(variants)]
	if round := n / len(kinds); round > 0 {
		a.Name = fmt.Sprintf("%s No. %d", a.Name, round+1)
	}
	a.ID = fmt.Sprintf("gid://shopify/ProductVariant/45%010d", 7919*(i+1))
	a.Parent = fmt.Sprintf("gid://shopify/Product/75%010d", 104729*(first+1))
	a.SKU = fmt.Sprintf("%s-%05d", family.code, i+1)
}

func (a *Article) cost(chance *rand.Rand, family Family) {
	low, to := math.Log(family.priceLow), math.Log(family.priceTo)
	a.Price = Money(math.Round(math.Exp(between(chance, low, to))*10))*10 - 10 // such as 12.90
	a.Cost = a.Price.percent(family.cost - 4 + chance.IntN(9))
	a.Lot = []int{1, 6, 12, 24}[pick(chance, 2, 4, 3, 1)]
	a.nerve = between(chance, 0.8, 1.7)
	a.ReturnRate = []float64{0.01, 0.03, 0.06, 0.15}[pick(chance, 4, 4, 2, 1)]
}

// live sets the days on which the article was launched and ended.
func (a *Article) live(chance *rand.Rand, days int) {
	a.Launch, a.End = -30-chance.IntN(900), days
	switch pick(chance, 70, 16, 2, 7, 5) {
	case 1:
		a.Launch = chance.IntN(max(1, days-90))
	case 2: // new
		a.Launch = max(0, days-3-chance.IntN(40))
	case 3:
		a.End = days/4 + chance.IntN(max(1, days*2/3))
		a.Archived = true
	case 4: // no demand, but still offered
		a.End = days/4 + chance.IntN(max(1, days/2))
	}
}

// behave sets how the article sells.
func (a *Article) behave(chance *rand.Rand) {
	rank := chance.NormFloat64()
	a.Level = math.Exp(unevenness * rank)
	a.drift = between(chance, 0.004, 0.018)
	uneven := chance.Float64() < 0.35
	switch {
	case rank > -0.2 && !uneven:
		a.Pattern, a.Size, a.shape = Smooth, between(chance, 1.1, 1.5), between(chance, 2, 6)
	case rank > -0.2:
		a.Pattern, a.Size, a.shape = Erratic, between(chance, 2, 4), between(chance, 0.06, 0.25)
	case !uneven:
		a.Pattern, a.Size, a.shape = Intermittent, between(chance, 1, 1.3), between(chance, 1, 4)
	default:
		a.Pattern, a.Size, a.shape = Lumpy, between(chance, 3, 7), between(chance, 0.01, 0.03)
	}
	a.sizeOf = 1 + 0.8*(a.Size-1)
}
