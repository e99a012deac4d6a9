package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
)

// This file measures what tables of companies' own cost ingest. Two services on a PostgreSQL each, with the same companies,
// take turns: in one of them each company has one table of its own, in the other ten.

const (
	ownTables  = 10
	ownColumns = 20
	// ownRecords is how many records a company has in its own tables, all together, so that both services are sent as many new ones.
	ownRecords = 1000
	// mostSlower is how much longer a record may take.
	mostSlower = 1.1
)

// owned makes records for so many tables of each company's own: any of them, or one after another if walked counts.
type owned struct {
	tenants, tables int
	walked          *atomic.Int64
}

func (o owned) request(buf []byte, random *rand.Rand) []byte {
	n := random.IntN(o.tenants * o.tables)
	if o.walked != nil {
		n = int(o.walked.Add(1)) % (o.tenants * o.tables)
	}
	tenant, table := 1+n%o.tenants, 1+n/o.tenants
	body := fmt.Appendf(nil, `{"external_id":"R-%d"`, random.IntN(ownRecords/o.tables))
	for column := 2; column <= ownColumns; column++ {
		body = fmt.Appendf(body, `,"c%d":%d`, column, random.IntN(1000))
	}
	body = append(body, '}')
	buf = fmt.Appendf(buf, "POST /api/ingest/own_%d HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n",
		table, keyOfCached(tenant), len(body))
	return append(buf, body...)
}

// define makes so many tables of each company's own. Every column but the id is a number.
func (c *cluster) define(ctx context.Context, tenants, tables int) error {
	tenant := fmt.Sprintf(tenantSQL, "n")
	for _, sql := range []string{
		`INSERT INTO workspace.registry_tables (tenant_id, slug, title)
			SELECT TENANT, 'own_' || t, 'Own ' || t FROM generate_series(1, $1::int) n, generate_series(1, $2::int) t`,
		`INSERT INTO workspace.registry_columns (tenant_id, slug, name, position, type, required, nullable)
			SELECT TENANT, 'own_' || t, CASE c WHEN 1 THEN 'external_id' ELSE 'c' || c END, c, CASE c WHEN 1 THEN 'text' ELSE 'number' END, c = 1, c > 1
			FROM generate_series(1, $1::int) n, generate_series(1, $2::int) t, generate_series(1, ` + strconv.Itoa(ownColumns) + `) c`,
	} {
		if err := c.exec(ctx, strings.ReplaceAll(sql, "TENANT", tenant), tenants, tables); err != nil {
			return err
		}
	}
	return c.exec(ctx, "VACUUM ANALYZE workspace.registry_tables, workspace.registry_columns")
}

// defined is one of the two services.
type defined struct {
	cluster *cluster
	service *service
	tables  int // of each company
}

func (d *defined) start(ctx context.Context, opt options, binary string, tenants int) (err error) {
	if d.cluster, err = startCluster(ctx, opt, binary); err != nil {
		return err
	}
	if err := d.cluster.load(ctx, tenants, 10, 10); err != nil {
		return err
	}
	if err := d.cluster.define(ctx, tenants, d.tables); err != nil {
		return err
	}
	d.service, err = d.cluster.serve(ctx)
	return err
}

// definitions measures the two services.
type definitions struct {
	options
	sides  [2]*defined // one table of each company, ten
	took   [2]map[string]series
	ratios map[string]series
	state  conditions
}

// definedCase is one kind of traffic, the same in both services but for the number of tables.
type definedCase struct {
	name        string
	records     func(*defined) source
	connections int
}

// runDefinitions prints what a record takes where companies have ten tables of their own, relative to where they have one.
func runDefinitions(ctx context.Context, opt options, binary string) error {
	d := &definitions{options: opt, sides: [2]*defined{{tables: 1}, {tables: ownTables}}, took: [2]map[string]series{{}, {}},
		ratios: map[string]series{}, state: conditions{memory: opt.memory}}
	for _, side := range d.sides {
		err := side.start(ctx, opt, binary, opt.definitions)
		if side.cluster != nil {
			defer side.cluster.stop()
		}
		if err != nil {
			return err
		}
		if err := d.warm(ctx, side); err != nil {
			return err
		}
	}
	var names []string
	for _, c := range d.cases() {
		names = append(names, c.name)
	}
	p := (&bench{options: opt}).plan()
	err := p.repeat(ctx, &d.state, d.sides[0].cluster.dir, d.ratios, names, func(n int) error { return d.round(ctx, n) })
	if err != nil {
		return err
	}
	return d.report(os.Stdout)
}

// warm makes connections and plans, and has every company's tables read from the registry: their first records are not measured.
func (d *definitions) warm(ctx context.Context, side *defined) error {
	all := owned{tenants: d.definitions, tables: side.tables, walked: new(atomic.Int64)}
	for all.walked.Load() < int64(all.tenants*all.tables) {
		if _, err := closed(ctx, side.service.addr, all, 64, d.slice); err != nil {
			return err
		}
	}
	for _, c := range d.cases() {
		if _, err := closed(ctx, side.service.addr, c.records(side), 64, 3*d.slice); err != nil {
			return err
		}
	}
	return nil
}

func (d *definitions) cases() []definedCase {
	lines := func(*defined) source { return mix{tenants: d.definitions, products: 10, lines: 10} }
	one := func(*defined) source { return owned{tenants: d.definitions, tables: 1} }
	all := func(side *defined) source { return owned{tenants: d.definitions, tables: side.tables} }
	return []definedCase{
		{"order lines, one at a time", lines, 1}, {"order lines, 64 at a time", lines, 64},
		{"one own table of each, one at a time", one, 1}, {"one own table of each, 64 at a time", one, 64},
		{"all own tables, one at a time", all, 1}, {"all own tables, 64 at a time", all, 64},
	}
}

// round measures every case in both services, one right after the other. Which is first changes from round to round.
func (d *definitions) round(ctx context.Context, n int) error {
	for _, c := range d.cases() {
		var took [2]float64
		for _, i := range []int{n % 2, 1 - n%2} {
			got, err := closed(ctx, d.sides[i].service.addr, c.records(d.sides[i]), c.connections, d.slice)
			if err = errors.Join(err, onlyStored(got)); err != nil {
				return fmt.Errorf("%s: %w", c.name, err)
			}
			took[i] = ms(got.P50)
			d.took[i][c.name] = append(d.took[i][c.name], took[i])
		}
		d.ratios[c.name] = append(d.ratios[c.name], took[1]/took[0])
	}
	return nil
}

func (d *definitions) report(w io.Writer) error {
	fmt.Fprintf(w, "\n%d companies with %d tables of %d columns each, against one table each; medians in turns: %s\n\n%-38s %10s %10s %8s %8s\n",
		d.definitions, ownTables, ownColumns, d.state, "a record, ms", "one", strconv.Itoa(ownTables), "ratio", "spread")
	var slower []string
	for _, c := range d.cases() {
		ratios := d.ratios[c.name]
		v, why := judge(ratios, mostSlower, true, d.state.restless())
		if v == missed {
			slower = append(slower, c.name)
		}
		fmt.Fprintf(w, "%-38s %10.2f %10.2f %8.2f %6.0f %%  %s %s\n", c.name, d.took[0][c.name].median(), d.took[1][c.name].median(), ratios.median(),
			100*ratios.spread(), v, why)
	}
	if slower != nil {
		return fmt.Errorf("more than %.0f %% slower: %s", 100*(mostSlower-1), strings.Join(slower, "; "))
	}
	return nil
}
