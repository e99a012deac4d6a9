package demo

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/quayside/quayside/internal/shop"
)

// makeNotes returns the meetings. All are before today.
func makeNotes(today time.Time, customers []customer) (all []fields) {
	for _, line := range shop.Lines(files, "notes.txt") {
		name, value, _ := strings.Cut(line, ": ")
		if name == "title" {
			all = append(all, fields{
				"external_id", fmt.Sprintf("call-%d", 8842-7*len(all)), "title", value, "started_at", nil, "duration_minutes", nil,
				"source", nil, "organizer_email", nil, "attendees", nil, "summary", nil, "action_items", nil, "transcript", "",
				"url", nil, "language", "en", "customer_id", nil, "supplier_id", nil, "tags", nil,
			})
		}
		note := all[len(all)-1]
		switch name {
		case "title":
		case "days":
			note.set("started_at", workday(today, number(value)).Add(time.Duration(8*60+len(all)*97%480/15*15)*time.Minute))
			note.set("url", "https://notes.example/"+strings.TrimPrefix(fmt.Sprint(note[1]), "call-"))
		case "minutes":
			note.set("duration_minutes", minutes(value))
		case "with":
			note.set("attendees", value)
			note.set("organizer_email", organizer(value))
		case "about":
			if place, is := strings.CutPrefix(value, "customer "); is {
				note.set("customer_id", customers[number(place)-1].id)
			} else {
				note.set("supplier_id", value)
			}
		case "actions":
			note.set("action_items", value)
		case "source", "summary", "tags":
			note.set(name, value)
		default:
			note.say(strings.TrimPrefix(line, "> "))
		}
	}
	return all
}

// minutes is a number, kept as text.
type minutes string

// MarshalJSON writes the number without quotes.
func (m minutes) MarshalJSON() ([]byte, error) { return []byte(m), nil }

// organizer returns the address of the first attendee, who belongs to the company.
func organizer(attendees string) string {
	first, _, _ := strings.Cut(attendees, ",")
	for _, login := range Logins() {
		if login.Name == first {
			return login.Email
		}
	}
	return ""
}

// say adds a line to a note's transcript.
func (f fields) say(words string) {
	for pair := range slices.Chunk(f, 2) {
		if pair[0] == "transcript" {
			pair[1] = strings.TrimPrefix(fmt.Sprint(pair[1], "\n", words), "\n")
		}
	}
}
