package account

import (
	"slices"
	"strings"
	"unicode"
)

// commonWords are the words of which the passwords that attackers try first are made, in
// several languages. The longest come first, so that a long word is removed whole before
// a shorter word inside it.
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

// keyRows are sequences of neighbouring keys and of consecutive characters.
var keyRows = []string{
	"abcdefghijklmnopqrstuvwxyz", "01234567890", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "zxcvbnm",
	"yxcvbnm",
	"1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p", "1q2w3e4r5t6y7u8i9o0p", "qazwsxedcrfvtgbyhnujmikolp",
}

// leet replaces the digits and signs that people write for letters.
var leet = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s", "!", "i")

const (
	shortestRun = 4 // characters of a row that count as a run
	// A password needs minOwnLetters letters besides common words and runs, or
	// minPassphraseWords different common words: those make a passphrase.
	minOwnLetters      = 4
	minPassphraseWords = 4
)

// guessable reports whether attackers would try a password early: common words and runs of
// keys with digits and punctuation around them, the person's own address, or a repeated
// piece. It has no list of leaked passwords: the minimum length protects more.
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
		if len(left) < minOwnLetters && words < minPassphraseWords {
			return true
		}
	}
	return false
}

// without removes words and everything that is not a letter from a text. It returns the
// letters that are left, and how many different words it found.
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

// withoutRuns removes runs of keys, forwards and backwards, from a text.
func withoutRuns(text string) string {
	for _, row := range keyRows {
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

// unit returns the length of the shortest piece whose repetition makes the text.
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
