package app

import (
	"github.com/caarlos0/env/v11"

	"github.com/quayside/quayside/internal/fault"
)

// Config is everything the environment says. Nothing else configures the service.
type Config struct {
	DatabaseURL    string `env:"QUAYSIDE_DATABASE_URL"`                     // the service's login
	MigrateURL     string `env:"QUAYSIDE_MIGRATE_URL"`                      // the owner's login; defaults to DatabaseURL
	Addr           string `env:"QUAYSIDE_ADDR" envDefault:"127.0.0.1:8080"` // where serve listens
	BaseURL        string `env:"QUAYSIDE_BASE_URL"`                         // what callers see; defaults to http://Addr
	MaxConns       int32  `env:"QUAYSIDE_MAX_CONNS"`                        // 0: pgx decides by the cores
	EventsKeptDays int32  `env:"QUAYSIDE_EVENTS_KEPT_DAYS" envDefault:"30"` // the outbox's, and so the history's, reach
}

// ReadConfig reads the environment.
func ReadConfig() (Config, error) {
	cfg, err := env.ParseAs[Config]()
	if err != nil {
		return Config{}, fault.New(fault.BadRequest, "config", "%s", err)
	}
	if cfg.DatabaseURL == "" {
		return Config{}, fault.New(fault.BadRequest, "config",
			"QUAYSIDE_DATABASE_URL is not set; it is the address of PostgreSQL, such as postgres://user:password@host:5432/quayside")
	}
	if cfg.MigrateURL == "" {
		cfg.MigrateURL = cfg.DatabaseURL
	}
	if cfg.BaseURL == "" {
		cfg.BaseURL = "http://" + cfg.Addr
	}
	return cfg, nil
}
