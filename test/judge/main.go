// Command judge forecasts known sales and prints how far off each method was: on two real sets,
// and on two made shops whose true demand is also known. docs/accuracy.md explains the figures.
package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/quayside/quayside/internal/shop"
)

func main() {
	var size made
	page := flag.String("page", "", "write the tables into this page, between its marks, and print nothing else")
	flag.Uint64Var(&size.seed, "seed", 1, "the seed of the made shops")
	flag.IntVar(&size.articles, "articles", 1200, "the articles of each made shop")
	flag.IntVar(&size.weeks, "weeks", 156, "the weeks of each made shop, at least 104; the last 52 are forecast")
	flag.Parse()
	if err := run(size, *page); err != nil {
		fmt.Fprintln(os.Stderr, "judge:", err)
		os.Exit(1)
	}
}

// made is the size of the made shops.
type made struct {
	seed            uint64
	weeks, articles int
}

func run(size made, page string) error {
	verdicts, err := verdictsOf(size)
	if err != nil {
		return err
	}
	if page != "" {
		return writePage(page, verdicts)
	}
	tables(os.Stdout, verdicts)
	classTables(os.Stdout, verdicts)
	return writeSummary(os.Stdout, summarise(verdicts))
}

// verdictsOf judges the real web shop, the real weekly sales, and the made shops A and B.
func verdictsOf(size made) ([]verdict, error) {
	web, err := realSet("real web shop", "online-retail-weekly-units.csv.gz",
		time.Date(2010, 12, 6, 0, 0, 0, 0, time.UTC))
	if err != nil {
		return nil, err
	}
	weekly, err := realSet("real weekly sales", "sales-transactions-weekly.csv.gz",
		time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)) // its dates are not known
	if err != nil {
		return nil, err
	}
	sets := []*set{web, weekly, madeSet("made shop A", shop.LawA, size), madeSet("made shop B", shop.LawB, size)}
	verdicts := make([]verdict, len(sets))
	var running sync.WaitGroup
	for i, s := range sets {
		running.Go(func() { verdicts[i] = pass(s) })
	}
	running.Wait()
	return verdicts, nil
}

// The marks around the tables in a page.
const (
	begin = "<!-- made by make judge: do not edit -->\n"
	end   = "<!-- until here -->\n"
)

// writePage puts the tables into a page.
func writePage(path string, verdicts []verdict) error {
	old, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	before, rest, found := bytes.Cut(old, []byte(begin))
	_, after, closed := bytes.Cut(rest, []byte(end))
	if !found || !closed {
		return errors.New(path + " has no marks to write the tables between")
	}
	var page bytes.Buffer
	page.Write(before)
	page.WriteString(begin + "\n")
	tables(&page, verdicts)
	page.WriteString("\n" + end)
	page.Write(after)
	return os.WriteFile(path, page.Bytes(), 0o644)
}
