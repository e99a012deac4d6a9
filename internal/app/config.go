package app

import (
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"github.com/caarlos0/env/v11"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/mail"
	"github.com/quayside/quayside/internal/pg"
	"github.com/quayside/quayside/internal/secret"
	"github.com/quayside/quayside/internal/sending"
	"github.com/quayside/quayside/internal/vault"
)

// shortestOperatorToken keeps the operator's token from being guessed.
const shortestOperatorToken = 32

// shortestExchangeLease leaves a comparison of an order enough time to be made.
const shortestExchangeLease = 15 * time.Second

// Config holds the service's settings. All of them come from the environment.
type Config struct {
	Addr            string        `env:"QUAYSIDE_ADDR" envDefault:"127.0.0.1:8080"`       // where serve listens
	BaseURL         string        `env:"QUAYSIDE_BASE_URL"`                               // the address that callers see; defaults to http://Addr
	MetricsAddr     string        `env:"QUAYSIDE_METRICS_ADDR"`                           // where Prometheus reads metrics; empty: nowhere
	LogLevel        slog.Level    `env:"QUAYSIDE_LOG_LEVEL" envDefault:"info"`            // debug, info, warn, error
	MaxConns        int32         `env:"QUAYSIDE_MAX_CONNS"`                              // all connections to PostgreSQL; 0: depends on the number of cores
	TenantShare     int           `env:"QUAYSIDE_TENANT_SHARE" envDefault:"50"`           // percent of the connections for reads, and for files, that one tenant may use
	Lanes           int32         `env:"QUAYSIDE_LANES"`                                  // transactions that store records at once; 0: one per core
	MaxQueued       int           `env:"QUAYSIDE_MAX_QUEUED" envDefault:"4096"`           // records that may wait in each lane; more get 503
	MaxQueuedBytes  int64         `env:"QUAYSIDE_MAX_QUEUED_BYTES" envDefault:"67108864"` // total size of the records that may wait in each lane; more get 503
	MaxWait         time.Duration `env:"QUAYSIDE_MAX_WAIT" envDefault:"5s"`               // how long a record may wait for its transaction before it gets 503
	MaxBodyBytes    int64         `env:"QUAYSIDE_MAX_BODY_BYTES" envDefault:"1048576"`
	EventsKeptDays  int64         `env:"QUAYSIDE_EVENTS_KEPT_DAYS"`               // no longer read: see event.DropOld
	SweepEvery      time.Duration `env:"QUAYSIDE_SWEEP_EVERY" envDefault:"15s"`   // background sealing and counting
	PollEvery       time.Duration `env:"QUAYSIDE_POLL_EVERY" envDefault:"1m"`     // how often an inventory system is asked what changed
	ExchangeLease   time.Duration `env:"QUAYSIDE_EXCHANGE_LEASE" envDefault:"2m"` // how long an order stays claimed by an instance that died while it compared it
	AlertsEvery     time.Duration `env:"QUAYSIDE_ALERTS_EVERY" envDefault:"30s"`  // how often causes of alerts are looked for
	TrustedProxies  []string      `env:"QUAYSIDE_TRUSTED_PROXIES"`                // networks whose X-Forwarded-For is believed
	SpoolDir        string        `env:"QUAYSIDE_SPOOL_DIR"`                      // where dead letters wait while PostgreSQL is unavailable; "off": nowhere
	SpoolMaxBytes   int64         `env:"QUAYSIDE_SPOOL_MAX_BYTES" envDefault:"1073741824"`
	DrainDelay      time.Duration `env:"QUAYSIDE_DRAIN_DELAY" envDefault:"1s"` // between the first failing /readyz and the end of listening
	OutboundAllow   []string      `env:"QUAYSIDE_OUTBOUND_ALLOW"`              // the operator's own networks that connections may reach
	MailsPerPerson  sending.Rate  `env:"QUAYSIDE_MAILS_PER_PERSON"`            // how many addresses a person mails orders to, in an hour and in a day
	MailsPerCompany sending.Rate  `env:"QUAYSIDE_MAILS_PER_COMPANY"`           // and a company
	NewReceivers    sending.Rate  `env:"QUAYSIDE_NEW_RECEIVERS"`               // and how many of them are new to the company
	OperatorEmail   string        `env:"QUAYSIDE_OPERATOR_EMAIL"`              // who is mailed about faults of the service; empty: nobody

	Proxies []netip.Prefix `env:"-"` // TrustedProxies, parsed
	Inside  []netip.Prefix `env:"-"` // OutboundAllow, parsed

	// These hold passwords, and may come from files instead: see secret.FromEnv.
	DatabaseURL string `env:"-"` // QUAYSIDE_DATABASE_URL, the service's login
	MigrateURL  string `env:"-"` // QUAYSIDE_MIGRATE_URL, the owner's login, which only ReadOwnerConfig reads
	SMTPURL     string `env:"-"` // QUAYSIDE_SMTP_URL, smtp://user:password@host:587?from=…; empty: no mail

	OperatorToken string `env:"-"` // QUAYSIDE_OPERATOR_TOKEN, which opens the operator's API; empty: there is none

	SecretKeys vault.Keys `env:"-"` // QUAYSIDE_SECRET_KEYS, which encrypt stored secrets; may come from a file too
}

// ownerVariable names the address with the owner's login.
const ownerVariable = "QUAYSIDE_MIGRATE_URL"

// OwnerIsNear reports whether the environment has the owner's login, which the service neither needs nor reads.
func OwnerIsNear() bool {
	return os.Getenv(ownerVariable) != "" || os.Getenv(ownerVariable+"_FILE") != ""
}

// ReadOwnerConfig is ReadConfig for commands that act as the owner of the schema: they change it, or read or delete
// everything of a company. Without QUAYSIDE_MIGRATE_URL they use the service's login.
func ReadOwnerConfig() (Config, error) {
	cfg, err := ReadConfig()
	if err != nil {
		return Config{}, err
	}
	if cfg.MigrateURL, err = secret.FromEnv(ownerVariable); err != nil {
		return Config{}, err
	}
	if cfg.MigrateURL == "" {
		cfg.MigrateURL = cfg.DatabaseURL
	}
	return cfg, nil
}

// ReadConfig reads the service's settings from the environment. The owner's login is not among them.
func ReadConfig() (Config, error) {
	cfg, err := env.ParseAs[Config]()
	if err != nil {
		return Config{}, fault.New(fault.BadRequest, "config", "%s", err)
	}
	var secretKeys string
	for name, value := range map[string]*string{
		"QUAYSIDE_DATABASE_URL":   &cfg.DatabaseURL,
		"QUAYSIDE_SMTP_URL":       &cfg.SMTPURL,
		"QUAYSIDE_SECRET_KEYS":    &secretKeys,
		"QUAYSIDE_OPERATOR_TOKEN": &cfg.OperatorToken,
	} {
		if *value, err = secret.FromEnv(name); err != nil {
			return Config{}, err
		}
	}
	if cfg.DatabaseURL == "" {
		return Config{}, fault.New(fault.BadRequest, "config",
			"QUAYSIDE_DATABASE_URL is not set; it is the address of PostgreSQL, such as postgres://user:password@host:5432/quayside")
	}
	if cfg.SecretKeys, err = vault.ParseKeys(secretKeys); err != nil {
		return Config{}, err
	}
	if cfg.MaxQueued < 1 || cfg.MaxQueuedBytes < 1 || cfg.MaxWait <= 0 || cfg.MaxBodyBytes < 1 ||
		cfg.SweepEvery <= 0 || cfg.AlertsEvery <= 0 || cfg.PollEvery <= 0 || cfg.SpoolMaxBytes < 1 {
		return Config{}, fault.New(fault.BadRequest, "config",
			"QUAYSIDE_MAX_QUEUED, QUAYSIDE_MAX_QUEUED_BYTES, QUAYSIDE_MAX_WAIT, QUAYSIDE_MAX_BODY_BYTES, "+
				"QUAYSIDE_SWEEP_EVERY, QUAYSIDE_ALERTS_EVERY, QUAYSIDE_POLL_EVERY and QUAYSIDE_SPOOL_MAX_BYTES must be above zero")
	}
	if cfg.ExchangeLease < shortestExchangeLease {
		return Config{}, fault.New(fault.BadRequest, "config",
			"QUAYSIDE_EXCHANGE_LEASE must be at least %s, so that a comparison of an order has time to end", shortestExchangeLease)
	}
	if err := cfg.checkOperator(); err != nil {
		return Config{}, err
	}
	if cfg.TenantShare < 1 || cfg.TenantShare > 100 {
		return Config{}, fault.New(fault.BadRequest, "config", "QUAYSIDE_TENANT_SHARE is a percentage from 1 to 100")
	}
	if cfg.Lanes <= 0 {
		cfg.Lanes = int32(runtime.GOMAXPROCS(0)) //nolint:gosec // a machine has fewer cores
	}
	if cfg.Proxies, err = networks("QUAYSIDE_TRUSTED_PROXIES", cfg.TrustedProxies); err != nil {
		return Config{}, err
	}
	if cfg.Inside, err = networks("QUAYSIDE_OUTBOUND_ALLOW", cfg.OutboundAllow); err != nil {
		return Config{}, err
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = "http://" + cfg.Addr
	}
	cfg.BaseURL = strings.TrimRight(cfg.BaseURL, "/")
	switch cfg.SpoolDir {
	case "":
		cfg.SpoolDir = defaultSpool(cfg.DatabaseURL)
	case "off":
		cfg.SpoolDir = ""
		return cfg, nil
	}
	if cfg.SpoolDir, err = filepath.Abs(cfg.SpoolDir); err != nil {
		return Config{}, fault.New(fault.BadRequest, "config", "QUAYSIDE_SPOOL_DIR: %s", err)
	}
	return cfg, nil
}

// checkOperator checks how the operator is known and reached.
func (cfg *Config) checkOperator() error {
	if cfg.OperatorToken != "" && len(cfg.OperatorToken) < shortestOperatorToken {
		return fault.New(fault.BadRequest, "config",
			"QUAYSIDE_OPERATOR_TOKEN needs at least %d characters; 'openssl rand -hex 32' makes one", shortestOperatorToken)
	}
	if cfg.OperatorEmail != "" && (cfg.SMTPURL == "" || !mail.IsAddress(cfg.OperatorEmail)) {
		return fault.New(fault.BadRequest, "config",
			"QUAYSIDE_OPERATOR_EMAIL is one address, such as ops@example.com, and needs QUAYSIDE_SMTP_URL")
	}
	return nil
}

// networks parses a list of networks.
func networks(name string, texts []string) (parsed []netip.Prefix, err error) {
	for _, text := range texts {
		prefix, err := netip.ParsePrefix(strings.TrimSpace(text))
		if err != nil {
			return nil, fault.New(fault.BadRequest, "config", "%s lists networks such as 10.0.0.0/8,::1/128; %q is none", name,
				text)
		}
		parsed = append(parsed, prefix)
	}
	return parsed, nil
}

// defaultSpool returns a folder in the user's state directory, which is never cleaned up. Each
// database has its own, so that one database's dead letters are not loaded into another.
func defaultSpool(databaseURL string) string {
	state := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(state) {
		state = "."
		if home, err := os.UserHomeDir(); err == nil {
			state = filepath.Join(home, ".local", "state")
		}
	}
	return filepath.Join(state, "quayside-spool", pg.Place(databaseURL))
}
