package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/quayside/quayside/internal/demo"
	"github.com/quayside/quayside/test/inventory"
)

func devCommand() *cobra.Command {
	cmd := &cobra.Command{Use: "dev", Short: "Tools for trying things out", Args: cobra.NoArgs}
	cmd.AddCommand(devInventoryCommand())
	return cmd
}

// standIn is the flags of dev inventory.
type standIn struct {
	address, token, per, stock string
	webhook, secret            string
	limit                      int
	seed                       uint64
	trouble                    float64
	refuseDraft                bool
}

func devInventoryCommand() *cobra.Command {
	var flags standIn
	cmd := &cobra.Command{
		Use:   "inventory",
		Short: "Run a stand-in for the inventory system Katana",
		Long: "Runs a server that speaks Katana's protocol and keeps purchase orders in memory until it ends. It\n" +
			"begins with the suppliers and articles of the demo, or of a file. It needs no database. Whoever\n" +
			"has the token can do everything, so run it where nobody else can reach it.\n\n" +
			"Work on the other side, such as receiving a part, goes through /control: docs/inventory.md.",
		Example: "  quayside dev inventory\n" +
			"  quayside dev inventory --limit 60 --per second --trouble 0.1 --seed 7\n" +
			"  quayside dev inventory --stock stock.json --refuse-draft",
		Args:    cobra.NoArgs,
		PreRunE: func(*cobra.Command, []string) error { return flags.check() },
		RunE: func(cmd *cobra.Command, _ []string) error {
			ctx, stop := signal.NotifyContext(cmd.Context(), syscall.SIGTERM, syscall.SIGINT)
			defer stop()
			if err := flags.run(ctx, cmd); err != nil {
				return &failure{err: err}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&flags.address, "addr", "127.0.0.1:8090", "where it listens")
	cmd.Flags().StringVar(&flags.token, "token", "stand-in", "the token that calls must carry")
	cmd.Flags().IntVar(&flags.limit, "limit", 60, "requests in each period; 0: no limit")
	cmd.Flags().StringVar(&flags.per, "per", "minute", "the period of the limit: minute or second")
	cmd.Flags().StringVar(&flags.stock, "stock", "",
		"a JSON file with suppliers (name, currency), variants (sku, name) and locations (name)")
	cmd.Flags().BoolVar(&flags.refuseDraft, "refuse-draft", false, "refuse drafts, as an older deployment does")
	cmd.Flags().Float64Var(&flags.trouble, "trouble", 0,
		"the share of requests that fail: cut before and after they are carried out, and errors")
	cmd.Flags().Uint64Var(&flags.seed, "seed", 1, "which requests fail, and what happens to webhooks")
	cmd.Flags().StringVar(&flags.webhook, "webhook", "", "the address that is told about changes")
	cmd.Flags().StringVar(&flags.secret, "webhook-secret", "stand-in", "signs webhooks")
	jsonFlag(cmd)
	return cmd
}

func (f standIn) check() error {
	switch {
	case f.per != "minute" && f.per != "second":
		return errors.New("--per is minute or second")
	case f.limit < 0:
		return errors.New("--limit is not negative")
	case f.trouble < 0 || f.trouble > 0.9:
		return errors.New("--trouble is a share from 0 to 0.9")
	case f.token == "":
		return errors.New("--token is not empty")
	}
	return nil
}

// run serves until ctx ends.
func (f standIn) run(ctx context.Context, cmd *cobra.Command) error {
	stock, err := f.readStock()
	if err != nil {
		return err
	}
	server := inventory.New(f.options(), stock)
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", f.address)
	if err != nil {
		return err
	}
	result := struct {
		Address   string `json:"address"`
		Token     string `json:"token"`
		Suppliers int    `json:"suppliers"`
		Variants  int    `json:"variants"`
	}{"http://" + listener.Addr().String(), f.token, len(stock.Suppliers), len(stock.Variants)}
	err = show(cmd, result, func(w io.Writer) {
		fmt.Fprintf(w, "address    %s/v1\ntoken      %s\nsuppliers  %d\narticles   %d\n\n"+
			"curl -s %s/control/orders -H 'Authorization: Bearer %s'\n", result.Address, f.token, result.Suppliers,
			result.Variants, result.Address, f.token)
	})
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	go server.Run(ctx, func(err error) { fmt.Fprintf(cmd.ErrOrStderr(), "a webhook was not delivered: %s\n", err) })
	web := &http.Server{Handler: server, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = web.Close() })
	if err := web.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

func (f standIn) options() inventory.Options {
	options := inventory.Options{
		Token: f.token, Limit: f.limit, Per: time.Minute, RefuseDraft: f.refuseDraft,
		Faults: inventory.Plan{Seed: f.seed, CutBefore: f.trouble / 4, CutAfter: f.trouble / 4, Broken: f.trouble / 4,
			BrokenAfter: f.trouble / 4},
	}
	if f.per == "second" {
		options.Per = time.Second
	}
	if f.webhook != "" {
		options.Webhooks = inventory.Webhooks{URL: f.webhook, Secret: f.secret, Shuffle: true, Lose: f.trouble,
			Twice: f.trouble, Client: &http.Client{Timeout: 10 * time.Second}}
	}
	return options
}

// readStock reads the file, or returns the demo's suppliers and articles.
func (f standIn) readStock() (stock inventory.Stock, err error) {
	if f.stock != "" {
		text, err := os.ReadFile(f.stock)
		if err != nil {
			return stock, err
		}
		if err := json.Unmarshal(text, &stock); err != nil {
			return stock, fmt.Errorf("%s: %w", f.stock, err)
		}
	} else {
		suppliers, articles := demo.Catalogue()
		for _, s := range suppliers {
			stock.Suppliers = append(stock.Suppliers, inventory.Supplier{Name: s.Name, Currency: s.Currency})
		}
		for _, a := range articles {
			stock.Variants = append(stock.Variants, inventory.Variant{SKU: a.SKU, Name: a.Name})
		}
	}
	if len(stock.Locations) == 0 {
		stock.Locations = []inventory.Location{{Name: "Main warehouse"}}
	}
	return stock, nil
}
