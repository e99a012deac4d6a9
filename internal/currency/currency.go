// Package currency checks currency codes against ISO 4217.
package currency

import "strings"

// active lists the current ISO 4217 codes, including funds and metals.
const active = `
AED AFN ALL AMD AOA ARS AUD AWG AZN BAM BBD BDT BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD
CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP
GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR
KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN
MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD
SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX
USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XBA XBB XBC XBD XCD XCG XDR XOF XPD
XPF XPT XSU XTS XUA XXX YER ZAR ZMW ZWG`

// withdrawn lists the codes that ISO 4217 has retired since 2010. Records of past years
// still carry them.
const withdrawn = `ANG BGN BYR CUC EEK HRK LTL LVL MRO SLL STD VEF ZMK ZWL`

var codes = func() map[string]bool {
	known := map[string]bool{}
	for _, code := range strings.Fields(active + " " + withdrawn) {
		known[code] = true
	}
	return known
}()

// Code returns text in capital letters, if it is an ISO 4217 code in any case. Otherwise
// known is false.
func Code(text string) (code string, known bool) {
	code = strings.ToUpper(text)
	if len(text) != 3 || !codes[code] {
		return "", false
	}
	return code, true
}
