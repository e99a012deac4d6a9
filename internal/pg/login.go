package pg

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/quayside/quayside/internal/fault"
	"github.com/quayside/quayside/internal/pg/q"
)

const (
	// mostTried bounds how many logins are tried on a server with many superusers.
	mostTried = 8
	// tryPatience is how long one try may take.
	tryPatience = 3 * time.Second
)

// CheckLogin fails if whoever holds the service's address gets around row security: because its login is a superuser or
// owns the schema, because it may become such a role by SET ROLE, or, with try, because its password opens such a role's
// login. PostgreSQL logs each try as a failed login. Such a login works, so that a small installation needs only one,
// but whoever gets into the service then has everything of everybody.
func (c *Cells) CheckLogin(ctx context.Context, address string, try bool) error {
	config, err := pgx.ParseConfig(address)
	if err != nil {
		return fault.New(fault.BadRequest, "database_url", "QUAYSIDE_DATABASE_URL cannot be read").Because(err)
	}
	var powerful []q.PowerfulRolesRow
	err = c.read(ctx, func(queries *q.Queries) (err error) {
		powerful, err = queries.PowerfulRoles(ctx)
		return err
	})
	if err != nil {
		return err
	}
	for _, role := range powerful {
		switch {
		case role.Name == config.User:
			return fault.New(fault.Forbidden, "login_powerful",
				"the service's login %s is %s; give QUAYSIDE_DATABASE_URL a login of its own, as docs/install.md shows", role.Name, role.What)
		case role.Reached:
			return fault.New(fault.Forbidden, "login_member", "the service's login %s may become %s, which is %s; REVOKE %s FROM %s",
				config.User, role.Name, role.What, pgx.Identifier{role.Name}.Sanitize(), pgx.Identifier{config.User}.Sanitize())
		}
	}
	if !try {
		return nil
	}
	return tryLogins(ctx, config, powerful)
}

// tryLogins fails if the service's password lets somebody in as one of the roles.
func tryLogins(ctx context.Context, config *pgx.ConnConfig, powerful []q.PowerfulRolesRow) error {
	tried := 0
	for _, role := range powerful {
		if !role.LogsIn {
			continue
		}
		if tried++; tried > mostTried {
			return nil
		}
		let, err := lets(ctx, config, role.Name)
		switch {
		case err != nil:
			return fault.New(fault.Unavailable, "login_untried", "whether the service's password also opens the login %s, which is %s, "+
				"could not be tried", role.Name, role.What).Because(err)
		case let:
			return fault.New(fault.Forbidden, "login_shared",
				"the address of the service also opens the login %s, which is %s: both have the same password, or PostgreSQL asks for "+
					"none; give each login a password of its own", role.Name, role.What)
		}
	}
	return nil
}

// lets reports whether the address lets somebody in as another user.
func lets(ctx context.Context, config *pgx.ConnConfig, user string) (bool, error) {
	ctx, cancel := context.WithTimeout(ctx, tryPatience)
	defer cancel()
	config = config.Copy()
	config.User = user
	conn, err := pgx.ConnectConfig(ctx, config)
	if err == nil {
		return true, conn.Close(ctx)
	}
	var refused *pgconn.PgError
	// 28: PostgreSQL refuses the login. 08P01: PgBouncer does not know it.
	if errors.As(err, &refused) && (strings.HasPrefix(refused.Code, "28") || refused.Code == "08P01") {
		return false, nil
	}
	return false, err
}
