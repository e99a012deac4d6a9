package ingest

// ring is a double-ended queue whose memory is proportional to its present length. The zero
// value is an empty ring.
type ring[E any] struct {
	slots []E // its length is zero or a power of two
	head  int // the first element's slot
	count int
}

// leastSlots is the smallest number of slots of a ring in use.
const leastSlots = 8

func (r *ring[E]) len() int { return r.count }

// slot returns the slot of the element at a position, counted from the first.
func (r *ring[E]) slot(position int) int { return (r.head + position) & (len(r.slots) - 1) }

// push adds an element at the end.
func (r *ring[E]) push(e E) {
	if r.count == len(r.slots) {
		r.resize(max(leastSlots, 2*r.count))
	}
	r.slots[r.slot(r.count)] = e
	r.count++
}

// unshift adds an element in front of the first.
func (r *ring[E]) unshift(e E) {
	if r.count == len(r.slots) {
		r.resize(max(leastSlots, 2*r.count))
	}
	r.head = r.slot(-1)
	r.slots[r.head] = e
	r.count++
}

// first returns the first element of a ring that is not empty.
func (r *ring[E]) first() E { return r.slots[r.head] }

// shift removes the first element of a ring that is not empty.
func (r *ring[E]) shift() E {
	var none E
	e := r.slots[r.head]
	r.slots[r.head] = none
	r.head = r.slot(1)
	r.count--
	if len(r.slots) > leastSlots && r.count <= len(r.slots)/4 {
		r.resize(len(r.slots) / 2)
	}
	return e
}

// resize moves the elements to that many slots.
func (r *ring[E]) resize(slots int) {
	moved := make([]E, slots)
	for i := range r.count {
		moved[i] = r.slots[r.slot(i)]
	}
	r.slots, r.head = moved, 0
}
