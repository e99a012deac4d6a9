-- +goose Up
-- The demand of articles, computed from their sales. All of it but the log follows from the
-- series and days of sales, the articles' families and the log, and can be computed again.
SET LOCAL lock_timeout = '5s';
SET LOCAL statement_timeout = '60s';

-- One row per workspace once its demand was computed.
CREATE TABLE workspace.forecast_state (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    as_of date NOT NULL,               -- sales up to the day before are known
    newest_origin date,                -- the log is complete up to it; null before it was begun
    -- The settings of the sales that it was computed from. With others, all of it is computed
    -- again.
    time_zone text NOT NULL,
    -- squawk-ignore prefer-bigint-over-smallint -- one of seven days
    week_start smallint NOT NULL,
    computed_at timestamptz NOT NULL,  -- the last time that all articles were
    stale boolean NOT NULL,            -- single articles changed since, so values of families may have
    PRIMARY KEY (tenant_id, workspace_id)
);

-- Articles whose sales changed and whose demand was not computed again.
CREATE TABLE workspace.forecast_marks (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, workspace_id, product_id)
);

-- One row per article. Estimates are binary floating point, because no digit of theirs is
-- certain; sums of units have at most 15 digits and are exact.
CREATE TABLE workspace.forecasts (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    as_of date NOT NULL,               -- the day of the computation that last changed the row
    family text NOT NULL,              -- whose prior and season it has; '' without a family
    first_sale_date date,
    last_sale_date date,
    -- squawk-ignore prefer-bigint-over-int -- at most 728
    exposure_days integer NOT NULL,    -- in stock, of the last 104 complete weeks
    -- squawk-ignore prefer-bigint-over-int -- at most 84
    stockout_days_84 integer NOT NULL, -- without stock, of the last 12 complete weeks
    units_28 double precision NOT NULL, -- of the days before as_of
    units_84 double precision NOT NULL,
    units_365 double precision NOT NULL,
    velocity_raw double precision NOT NULL,
    velocity double precision NOT NULL,
    sigma_day double precision NOT NULL,
    season_factor double precision NOT NULL, -- the mean of the next 30 days
    season_strength double precision NOT NULL,
    demand_per_day double precision NOT NULL, -- of the next 30 days
    trend_pct double precision,
    demand_class text COLLATE "C" NOT NULL,
    forecast_30 double precision NOT NULL,
    forecast_90 double precision NOT NULL,
    low_30 double precision NOT NULL,
    high_30 double precision NOT NULL,
    wape double precision,
    wape_naive double precision,
    wape_seasonal_naive double precision,
    rmsse double precision,
    bias double precision,
    confidence text COLLATE "C" NOT NULL,
    flags text[] NOT NULL,
    PRIMARY KEY (tenant_id, workspace_id, product_id)
) WITH (fillfactor = 80);              -- most rows change once a day, in place

-- What the articles of a family share. The season has one element per month, January first.
CREATE TABLE workspace.forecast_families (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    family text NOT NULL,              -- '': all articles together, whose season is only shown
    prior double precision,            -- units per day; null if too few articles have enough history
    indexed boolean NOT NULL,          -- false: too little history for a season, so every index is 1
    strength double precision NOT NULL,
    strength_reason text COLLATE "C" NOT NULL,
    raw_index double precision[] NOT NULL,
    index double precision[] NOT NULL,
    -- squawk-ignore prefer-bigint-over-int -- a few years
    years integer[] NOT NULL,
    units double precision[] NOT NULL,
    PRIMARY KEY (tenant_id, workspace_id, family)
);

-- What the log shows about the forecasts of a class: tau2 is the squared relative error of the
-- forecast itself, and z_95 how many standard deviations cover the demand with 95 %.
CREATE TABLE workspace.forecast_classes (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    class text COLLATE "C" NOT NULL,
    forecasts bigint NOT NULL,         -- that were counted; 0 while there are too few
    tau2 double precision NOT NULL,
    z_90 double precision NOT NULL,
    z_95 double precision NOT NULL,
    z_975 double precision NOT NULL,
    z_99 double precision NOT NULL,
    PRIMARY KEY (tenant_id, workspace_id, class)
);

-- What was forecast at every fourth week, and what came of it. An entry holds what was known at
-- its origin, so it is never computed again; only its outcome is filled in.
CREATE TABLE workspace.forecast_log (
    tenant_id uuid NOT NULL,
    workspace_id uuid NOT NULL,
    product_id text COLLATE "C" NOT NULL,
    origin date NOT NULL,              -- the first of the 28 days
    family text NOT NULL,
    forecast_none double precision NOT NULL, -- units of the 28 days without a season
    forecast_half double precision NOT NULL, -- with half of it
    forecast_full double precision NOT NULL,
    strength double precision NOT NULL, -- the one that was used
    indexed boolean NOT NULL,          -- whether the family had a season
    sigma_day2 double precision NOT NULL,
    class text COLLATE "C" NOT NULL,
    replayed boolean NOT NULL,         -- made later, from what was known at the origin
    -- The outcome; null until the 28 days are over.
    -- squawk-ignore prefer-bigint-over-int -- at most 28
    in_stock_days integer,
    units double precision,
    PRIMARY KEY (tenant_id, workspace_id, product_id, origin)
);

SELECT control.protect('workspace.forecast_state');
SELECT control.protect('workspace.forecast_marks');
SELECT control.protect('workspace.forecasts');
SELECT control.protect('workspace.forecast_families');
SELECT control.protect('workspace.forecast_classes');
SELECT control.protect('workspace.forecast_log');
GRANT SELECT, INSERT, UPDATE, DELETE ON workspace.forecast_state, workspace.forecast_marks, workspace.forecasts,
    workspace.forecast_families, workspace.forecast_classes TO quayside_app;
GRANT SELECT, INSERT, UPDATE (in_stock_days, units) ON workspace.forecast_log TO quayside_app;
-- The daily computation looks for work in all tenants.
CREATE POLICY system_reads ON workspace.forecast_state FOR SELECT TO quayside_system USING (true);
CREATE POLICY system_reads ON workspace.forecast_marks FOR SELECT TO quayside_system USING (true);
GRANT SELECT ON workspace.forecast_state, workspace.forecast_marks TO quayside_system;
