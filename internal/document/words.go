package document

import (
	"fmt"
	"strings"
	"time"

	"github.com/shopspring/decimal"
)

// Words are the texts of an order and of the mail that brings it, in one language, and how that
// language writes days and numbers. Every language has all of them.
type Words struct {
	Language string // its code, such as en

	Order      string // with the order's number
	Date       string
	SupplierNo string
	Payment    string
	Within     string // with a number of days
	Contact    string
	Answer     string // where to answer
	VatID      string
	DeliverTo  string

	SKU, YourSKU, Article, Expected, Quantity, Price, Total string

	UnknownArticle string
	Unapproved     string // with how many lines, of how many

	Hello   string
	HelloTo string // with a name
	Ordered string // what the mail says; with the order's number
	Ask     string // what it asks for
	Regards string

	months       []string
	day          string // with the day of the month, the month and the year
	shortDay     string // a layout of package time
	group, point string // in numbers
}

// Languages are the codes of the languages in which documents are written.
func Languages() []string { return []string{"en", "de", "fr", "es", "it", "nl"} }

// In returns the words of the language with this code, or of English if there is none. The code
// may have a region, as in de-CH.
func In(code string) Words {
	language, _, _ := strings.Cut(code, "-")
	words, known := dictionary[language]
	if !known {
		language, words = "en", dictionary["en"]
	}
	words.Language = language
	return words
}

var dictionary = map[string]Words{
	"en": {
		Order: "Purchase order %s", Date: "Date", SupplierNo: "Supplier no.", Payment: "Payment terms", Within: "%s days",
		Contact: "Contact", Answer: "Answer to", VatID: "VAT ID", DeliverTo: "Deliver to",
		SKU: "Our SKU", YourSKU: "Your SKU", Article: "Article", Expected: "Expected", Quantity: "Quantity", Price: "Price",
		Total: "Total", UnknownArticle: "Article not known yet",
		Unapproved: "Not an order yet: %d of %d lines are not approved.",
		Hello:      "Hello,", HelloTo: "Hello %s,", Ordered: "please find attached our purchase order %s.",
		Ask:     "Please confirm prices, quantities and delivery dates.",
		Regards: "Kind regards",
		months: []string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
			"November", "December"},
		day: "%d %s %d", shortDay: "2 Jan 2006", group: ",", point: ".",
	},
	"de": {
		Order: "Bestellung %s", Date: "Datum", SupplierNo: "Lieferantennr.", Payment: "Zahlungsziel", Within: "%s Tage",
		Contact: "Ansprechpartner", Answer: "Antwort an", VatID: "USt-IdNr.", DeliverTo: "Lieferanschrift",
		SKU: "Unsere Art.-Nr.", YourSKU: "Ihre Art.-Nr.", Article: "Artikel", Expected: "Liefertermin", Quantity: "Menge",
		Price: "Preis", Total: "Summe", UnknownArticle: "Artikel noch unbekannt",
		Unapproved: "Noch keine Bestellung: %d von %d Positionen sind nicht freigegeben.",
		Hello:      "Guten Tag,", HelloTo: "Guten Tag %s,", Ordered: "anbei erhalten Sie unsere Bestellung %s.",
		Ask:     "Bitte bestätigen Sie uns Preise, Mengen und Liefertermine.",
		Regards: "Mit freundlichen Grüßen",
		months: []string{"Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September", "Oktober",
			"November", "Dezember"},
		day: "%d. %s %d", shortDay: "02.01.2006", group: ".", point: ",",
	},
	"fr": {
		Order: "Commande %s", Date: "Date", SupplierNo: "N° fournisseur", Payment: "Paiement", Within: "%s jours",
		Contact: "Contact", Answer: "Réponse à", VatID: "N° TVA", DeliverTo: "Adresse de livraison",
		SKU: "Notre réf.", YourSKU: "Votre réf.", Article: "Article", Expected: "Livraison", Quantity: "Quantité", Price: "Prix",
		Total: "Total", UnknownArticle: "Article encore inconnu",
		Unapproved: "Pas encore une commande : %d lignes sur %d ne sont pas approuvées.",
		Hello:      "Bonjour,", HelloTo: "Bonjour %s,", Ordered: "veuillez trouver ci-joint notre commande %s.",
		Ask:     "Merci de nous confirmer les prix, les quantités et les dates de livraison.",
		Regards: "Cordialement",
		months: []string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre",
			"novembre", "décembre"},
		day: "%d %s %d", shortDay: "02/01/2006", group: "\u00a0", point: ",",
	},
	"es": {
		Order: "Pedido %s", Date: "Fecha", SupplierNo: "N.º de proveedor", Payment: "Plazo de pago", Within: "%s días",
		Contact: "Contacto", Answer: "Responder a", VatID: "NIF-IVA", DeliverTo: "Dirección de entrega",
		SKU: "Nuestra ref.", YourSKU: "Su ref.", Article: "Artículo", Expected: "Entrega", Quantity: "Cantidad", Price: "Precio",
		Total: "Total", UnknownArticle: "Artículo aún desconocido",
		Unapproved: "Todavía no es un pedido: %d de %d líneas no están aprobadas.",
		Hello:      "Hola,", HelloTo: "Hola, %s:", Ordered: "adjuntamos nuestro pedido %s.",
		Ask:     "Les rogamos que confirmen precios, cantidades y fechas de entrega.",
		Regards: "Un cordial saludo",
		months: []string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
			"noviembre", "diciembre"},
		day: "%d de %s de %d", shortDay: "02/01/2006", group: ".", point: ",",
	},
	"it": {
		Order: "Ordine %s", Date: "Data", SupplierNo: "N. fornitore", Payment: "Pagamento", Within: "%s giorni",
		Contact: "Referente", Answer: "Rispondere a", VatID: "Partita IVA", DeliverTo: "Indirizzo di consegna",
		SKU: "Nostro codice", YourSKU: "Vostro codice", Article: "Articolo", Expected: "Consegna", Quantity: "Quantità",
		Price: "Prezzo", Total: "Totale", UnknownArticle: "Articolo non ancora noto",
		Unapproved: "Non è ancora un ordine: %d righe su %d non sono approvate.",
		Hello:      "Buongiorno,", HelloTo: "Buongiorno %s,", Ordered: "in allegato trovate il nostro ordine %s.",
		Ask:     "Vi preghiamo di confermare prezzi, quantità e date di consegna.",
		Regards: "Cordiali saluti",
		months: []string{"gennaio", "febbraio", "marzo", "aprile", "maggio", "giugno", "luglio", "agosto", "settembre",
			"ottobre", "novembre", "dicembre"},
		day: "%d %s %d", shortDay: "02/01/2006", group: ".", point: ",",
	},
	"nl": {
		Order: "Bestelling %s", Date: "Datum", SupplierNo: "Leveranciersnr.", Payment: "Betalingstermijn", Within: "%s dagen",
		Contact: "Contactpersoon", Answer: "Antwoord aan", VatID: "Btw-nummer", DeliverTo: "Afleveradres",
		SKU: "Ons art.nr.", YourSKU: "Uw art.nr.", Article: "Artikel", Expected: "Levering", Quantity: "Aantal", Price: "Prijs",
		Total: "Totaal", UnknownArticle: "Artikel nog niet bekend",
		Unapproved: "Nog geen bestelling: %d van %d regels zijn niet goedgekeurd.",
		Hello:      "Goedendag,", HelloTo: "Goedendag %s,", Ordered: "in de bijlage vindt u onze bestelling %s.",
		Ask:     "Wilt u prijzen, aantallen en leverdata bevestigen?",
		Regards: "Met vriendelijke groet",
		months: []string{"januari", "februari", "maart", "april", "mei", "juni", "juli", "augustus", "september", "oktober",
			"november", "december"},
		day: "%d %s %d", shortDay: "02-01-2006", group: ".", point: ",",
	},
}

// Day writes a day with the month's name.
func (w Words) Day(day time.Time) string {
	return fmt.Sprintf(w.day, day.Day(), w.months[day.Month()-1], day.Year())
}

// ShortDay writes a day for a column. No language writes it so that day and month can be confused
// by its readers.
func (w Words) ShortDay(day time.Time) string { return day.Format(w.shortDay) }

// Number writes a number with all of its decimals.
func (w Words) Number(number decimal.Decimal) string { return w.grouped(number.String()) }

// Amount writes an amount with at least two decimals, and more if it has more. The currency may be
// empty.
func (w Words) Amount(amount decimal.Decimal, currency string) string {
	text := amount.StringFixed(max(2, -amount.Exponent()))
	if rounded := amount.Round(2); rounded.Equal(amount) {
		text = rounded.StringFixed(2)
	}
	return strings.TrimSpace(w.grouped(text) + " " + currency)
}

// grouped puts separators into a number such as -1234.5.
func (w Words) grouped(number string) string {
	sign := ""
	if digits, negative := strings.CutPrefix(number, "-"); negative {
		sign, number = "-", digits
	}
	whole, decimals, broken := strings.Cut(number, ".")
	for at := len(whole) - 3; at > 0; at -= 3 {
		whole = whole[:at] + w.group + whole[at:]
	}
	if broken {
		whole += w.point + decimals
	}
	return sign + whole
}
