package demand

import "slices"

const (
	leadDeliveries = 3     // with fewer, a lead time is not learnt
	leadAge        = 365   // days; older arrivals no longer count
	leadLongest    = 365   // days; a longer time is a mistake in the data
	slowCase       = 0.85  // the quantile by which the spread of lead times is measured
	slowCaseZ      = 1.036 // its normal quantile
)

// Delivery is goods that were ordered and have arrived. Arrived is the day on which they did, and
// not the day on which that was noted. One that arrived on the day of its order was most likely entered
// afterwards, and teaches nothing; who does deliver within the day is told so with a lead time of 0.
type Delivery struct{ Ordered, Arrived Day }

// LeadTime is how long a supplier takes, learnt from deliveries.
type LeadTime struct {
	Days       float64 // the median
	Sigma      float64 // the standard deviation, from the slow case
	Deliveries int     // that it was learnt from
}

// LearnLeadTime returns the lead time that is known on asOf, and false if too few goods arrived in
// the year before.
func LearnLeadTime(deliveries []Delivery, asOf Day) (LeadTime, bool) {
	var days []float64
	for _, d := range deliveries {
		took := d.Arrived - d.Ordered
		if d.Arrived < asOf && d.Arrived >= asOf-leadAge && took > 0 && took <= leadLongest {
			days = append(days, float64(took))
		}
	}
	if len(days) < leadDeliveries {
		return LeadTime{}, false
	}
	slices.Sort(days)
	middle := quantile(days, 0.5)
	return LeadTime{Days: middle, Sigma: (quantile(days, slowCase) - middle) / slowCaseZ, Deliveries: len(days)}, true
}
