package account

import (
	"slices"
	"strings"
	"unicode"
)

// commonWords are what passwords that are tried first are made of, in the languages of the
// people we know of: such words, digits and punctuation around them, and a few of them in a
// row. The longest come first, so that a word is not taken for a part of it.
var commonWords = longestFirst(strings.Fields(`
	password passwort passwd passphrase motdepasse contrasena contraseña senha wachtwoord parola haslo heslo kennwort geheim secret
	letmein welcome willkommen bienvenue bienvenido benvenuto hello hallo bonjour login signin access enter open sesame changeme change default
	admin administrator root user guest test tester testing demo example sample temp temporary system server database manager master service support
	iloveyou ichliebedich teamo jetaime love lovely baby angel princess prinzessin sunshine schatz sweet flower honey heart
	dragon monkey shadow superman batman spiderman starwars pokemon naruto ninja killer hunter ranger soccer football fussball futbol baseball basketball hockey liverpool chelsea arsenal barcelona bayern juventus
	michael daniel thomas andrew robert jordan jessica jennifer ashley nicole charlie george maggie pepper ginger buster tigger summer sommer winter spring autumn herbst frühling
	january february march april june july august september october november december januar februar märz juni juli oktober dezember
	monday tuesday wednesday thursday friday saturday sunday montag dienstag mittwoch donnerstag freitag samstag sonntag
	computer internet google facebook apple microsoft windows samsung android iphone qwerty qwertz azerty asdf zxcv yxcv abc xyz
	company firma office business money freedom whatever nothing trustno trustme nopassword blink matrix mustang corvette ferrari porsche mercedes yamaha harley
	berlin london paris madrid germany deutschland france england america
	quayside purchase einkauf warehouse lager order supplier stock inventory erp the and you your my ich du is it
`))

// rows are keys that lie next to each other, and characters that follow each other.
var rows = []string{
	"abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "zxcvbnm",
	"yxcvbnm",
	"1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p", "1q2w3e4r5t6y7u8i9o0p", "qazwsxedcrfvtgbyhnujmikolp",
}

// leet undoes what people write for letters.
var leet = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

const (
	shortestRun = 4 // so many characters of a row count as a run
	// fewestOwn is how many characters must be left when everything common is taken out,
	// unless there are mostCommon different common words: that many in a row are a passphrase.
	fewestOwn  = 4
	mostCommon = 4
)

// guessable says whether a password is among those that are tried first: common words and
// runs of keys with digits and punctuation around them, the person's own address, or one
// thing over and over. It knows no list of leaked passwords; length does most of the work.
func guessable(password, email string) bool {
	text := strings.ToLower(password)
	if characters := []rune(text); unit(characters) < shortestPassword/2 ||
		len(slices.Compact(slices.Sorted(slices.Values(characters)))) < 5 {
		return true
	}
	for _, part := range strings.FieldsFunc(strings.ToLower(email),
		func(r rune) bool { return strings.ContainsRune("@.+-_", r) }) {
		if len(part) >= 3 {
			text = strings.ReplaceAll(text, part, " ")
		}
	}
	for _, spelling := range []string{text, leet.Replace(text)} {
		left, words := without(withoutRuns(spelling), commonWords)
		if len(left) < fewestOwn && words < mostCommon {
			return true
		}
	}
	return false
}

// without takes words, digits, punctuation and spaces out of a text, and says which
// characters are left and how many different words there were.
func without(text string, words []string) (left []rune, found int) {
	for _, word := range words {
		if strings.Contains(text, word) {
			text = strings.ReplaceAll(text, word, " ")
			found++
		}
	}
	for _, r := range text {
		if unicode.IsLetter(r) {
			left = append(left, r)
		}
	}
	return left, found
}

// withoutRuns takes runs of keys out of a text, forwards and backwards.
func withoutRuns(text string) string {
	for _, row := range rows {
		backwards := []rune(row)
		slices.Reverse(backwards)
		for _, row := range []string{row, string(backwards)} {
			for length := len(row); length >= shortestRun; length-- {
				for start := 0; start+length <= len(row); start++ {
					text = strings.ReplaceAll(text, row[start:start+length], " ")
				}
			}
		}
	}
	return text
}

// unit is the length of the shortest piece of which a text is a repetition.
func unit(text []rune) int {
	for length := 1; length <= len(text)/2; length++ {
		repeats := len(text)%length == 0
		for i := length; repeats && i < len(text); i++ {
			repeats = text[i] == text[i-length]
		}
		if repeats {
			return length
		}
	}
	return len(text)
}

func longestFirst(words []string) []string {
	slices.SortStableFunc(words, func(a, b string) int { return len(b) - len(a) })
	return words
}
