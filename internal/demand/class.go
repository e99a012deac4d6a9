package demand

const (
	classWeeks   = 26
	newExposure  = 28  // in-stock days below which an article is new
	deadExposure = 180 // in-stock days without a sale after which it is dead
	interval     = 1.32
	variation    = 0.49
)

// Class is the pattern in which an article sells.
type Class string

// The classes. The first four are told apart by how often the article sells and by how much the
// size of its sales varies.
const (
	Smooth       Class = "smooth"
	Erratic      Class = "erratic"
	Intermittent Class = "intermittent"
	Lumpy        Class = "lumpy"
	New          Class = "new"
	Dead         Class = "dead"
)

// Classes lists all classes.
var Classes = []Class{Smooth, Erratic, Intermittent, Lumpy, New, Dead}

// classify looks at the last 26 weeks. A week without an in-stock day counts only if the
// article sold in it.
func classify(a Article) Class {
	n := len(a.Units)
	exposure := 0
	for _, e := range a.InStock[max(0, n-rateWeeks):] {
		exposure += e
	}
	if exposure < newExposure {
		return New
	}
	if a.Running <= 0 && daysWithoutSale(a) >= deadExposure {
		return Dead
	}
	var weeks, sales, total, squares float64
	for i := max(0, n-classWeeks); i < n; i++ {
		u := a.Units[i]
		if u > 0 {
			sales++
			total += u
			squares += u * u
		}
		if u > 0 || a.InStock[i] > 0 {
			weeks++
		}
	}
	if sales == 0 {
		return Intermittent
	}
	mean := total / sales
	seldom, uneven := weeks/sales > interval, squares/sales/(mean*mean)-1 > variation
	switch {
	case seldom && uneven:
		return Lumpy
	case seldom:
		return Intermittent
	case uneven:
		return Erratic
	}
	return Smooth
}

// daysWithoutSale returns the in-stock days of the weeks after the last week with a sale.
func daysWithoutSale(a Article) int {
	days := 0
	for i := len(a.Units) - 1; i >= 0 && a.Units[i] <= 0; i-- {
		days += a.InStock[i]
	}
	return days
}
