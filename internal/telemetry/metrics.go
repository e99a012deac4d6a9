package telemetry

import (
	"net/http"
	"net/http/pprof"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the service's Prometheus metrics. The number of label values is limited: a table
// that a tenant added counts as "custom", an unknown one as "unknown".
type Metrics struct {
	registry    *prometheus.Registry
	requests    *prometheus.CounterVec
	inFlight    prometheus.Gauge
	durations   *prometheus.HistogramVec
	chores      *prometheus.GaugeVec
	choreFaults *prometheus.CounterVec
	jobs        *prometheus.GaugeVec
	oldestJobs  *prometheus.GaugeVec
	overdue     *prometheus.GaugeVec
	indexes     *prometheus.GaugeVec
	entries     *prometheus.GaugeVec
	ingested    *prometheus.CounterVec
	latency     *prometheus.HistogramVec
	deadLetters *prometheus.CounterVec
	spooled     prometheus.Counter
	alerts      *prometheus.CounterVec
	alertMails  *prometheus.CounterVec
	inboxMails  *prometheus.CounterVec
	mails       *prometheus.CounterVec
	daysAhead   prometheus.Gauge
	unsealed    prometheus.Gauge
	toolCalls   *prometheus.CounterVec
	toolLatency *prometheus.HistogramVec
}

// NewMetrics returns metrics that start at zero.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quayside_http_requests_total", Help: "Requests answered.",
		}, []string{"route", "status"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "quayside_http_requests_in_flight", Help: "Requests that are being answered.",
		}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "quayside_http_request_duration_seconds", Help: "Time from a request's headers to the end of its answer.",
			Buckets: []float64{.005, .025, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route"}),
		chores: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "quayside_chore_last_success_timestamp_seconds", Help: "When a chore in the background last succeeded.",
		}, []string{"chore"}),
		choreFaults: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quayside_chore_failures_total", Help: "Failed runs of chores in the background.",
		}, []string{"chore"}),
		jobs: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "quayside_jobs", Help: "Background jobs, by queue and state.",
		}, []string{"queue", "state"}),
		oldestJobs: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "quayside_jobs_oldest_seconds", Help: "Time since the oldest job of a queue and state was due.",
		}, []string{"queue", "state"}),
		overdue: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "quayside_retention_due_rows", Help: "Rows that are no longer kept and not deleted yet.",
		}, []string{"what"}),
		indexes: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "quayside_field_indexes", Help: "Indexes on fields, by state.",
		}, []string{"state"}),
		entries: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "quayside_field_index_entries", Help: "Rows that indexes on fields had when they were built, by state.",
		}, []string{"state"}),
		ingested: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quayside_ingest_requests_total", Help: "Ingest requests answered, by table and status.",
		}, []string{"slug", "status"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "quayside_ingest_duration_seconds", Help: "Time from an ingest request's headers to its answer.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"slug"}),
		deadLetters: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quayside_dead_letters_total", Help: "Records kept as failed imports, repeats included.",
		}, []string{"slug", "code"}),
		spooled: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "quayside_spooled_total",
			Help: "Dead letters that PostgreSQL could not take and that were kept in local files first.",
		}),
		alerts: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quayside_alerts_total", Help: "Alerts raised, by rule.",
		}, []string{"rule"}),
		alertMails: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quayside_alert_mails_total", Help: "Mails about alerts that the mail server took or did not take.",
		}, []string{"result"}),
		inboxMails: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quayside_inbox_mails_total", Help: "Mails about inboxes that the mail server took or did not take.",
		}, []string{"result"}),
		toolCalls: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "quayside_mcp_calls_total", Help: "Calls of MCP tools, by tool and what became of them.",
		}, []string{"tool", "result"}),
		toolLatency: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "quayside_mcp_call_duration_seconds", Help: "Time that a call of an MCP tool took.",
			Buckets: []float64{.005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"tool"}),
	}
	m.registry.MustRegister(m.requests, m.inFlight, m.durations, m.chores, m.choreFaults, m.jobs, m.oldestJobs, m.overdue,
		m.indexes, m.entries, m.ingested, m.latency, m.deadLetters, m.spooled, m.alerts, m.alertMails,
		m.inboxMails, m.toolCalls, m.toolLatency,
		buildInfo(), collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.addFigures()
	return m
}

// addFigures makes the metrics of the service as a whole.
func (m *Metrics) addFigures() {
	m.mails = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "quayside_mails_total", Help: "Mails of all kinds, by what the mail server did with them.",
	}, []string{"result"})
	m.daysAhead = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "quayside_partition_days_left", Help: "Days from tomorrow on for which there are partitions for events.",
	})
	m.unsealed = prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "quayside_audit_unsealed_oldest_seconds", Help: "How long the oldest audit row has waited for its seal.",
	})
	m.registry.MustRegister(m.mails, m.daysAhead, m.unsealed)
}

// Began counts a request that is being answered.
func (m *Metrics) Began() { m.inFlight.Inc() }

// Request counts an answered request, and the time it took.
func (m *Metrics) Request(route string, status int, took time.Duration) {
	m.inFlight.Dec()
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
	m.durations.WithLabelValues(route).Observe(took.Seconds())
}

// Chore notes a run of a chore.
func (m *Metrics) Chore(name string, err error) {
	if err != nil {
		m.choreFaults.WithLabelValues(name).Inc()
		return
	}
	m.chores.WithLabelValues(name).SetToCurrentTime()
}

// Jobs notes how many jobs of a queue have a state, and how long the oldest has been due.
func (m *Metrics) Jobs(queue, state string, count int64, oldest time.Duration) {
	m.jobs.WithLabelValues(queue, state).Set(float64(count))
	m.oldestJobs.WithLabelValues(queue, state).Set(oldest.Seconds())
}

// Retention notes how many rows are no longer kept and not deleted yet.
func (m *Metrics) Retention(what string, due int64) {
	m.overdue.WithLabelValues(what).Set(float64(due))
}

// FieldIndexes notes how many indexes on fields have a state, and how many entries they were built with.
func (m *Metrics) FieldIndexes(state string, indexes, entries int64) {
	m.indexes.WithLabelValues(state).Set(float64(indexes))
	m.entries.WithLabelValues(state).Set(float64(entries))
}

// Ingest counts an answered ingest request and the time it took.
func (m *Metrics) Ingest(slug string, status int, took time.Duration) {
	m.ingested.WithLabelValues(slug, strconv.Itoa(status)).Inc()
	m.latency.WithLabelValues(slug).Observe(took.Seconds())
}

// DeadLetter counts a record that was kept as a failed import.
func (m *Metrics) DeadLetter(slug, code string) {
	m.deadLetters.WithLabelValues(slug, code).Inc()
}

// Spooled counts dead letters that were first stored in local files.
func (m *Metrics) Spooled(letters int) { m.spooled.Add(float64(letters)) }

// Alert counts an alert that was raised.
func (m *Metrics) Alert(rule string) { m.alerts.WithLabelValues(rule).Inc() }

// AlertMail counts a mail about alerts.
func (m *Metrics) AlertMail(sent bool) { countMail(m.alertMails, sent) }

// InboxMail counts a mail about an inbox.
func (m *Metrics) InboxMail(sent bool) { countMail(m.inboxMails, sent) }

// Mail counts a mail of any kind.
func (m *Metrics) Mail(result string) { m.mails.WithLabelValues(result).Inc() }

// DaysAhead notes for how many days there are partitions.
func (m *Metrics) DaysAhead(days int64) { m.daysAhead.Set(float64(days)) }

// Unsealed notes how long the oldest audit row has waited for its seal.
func (m *Metrics) Unsealed(oldest time.Duration) { m.unsealed.Set(oldest.Seconds()) }

func countMail(mails *prometheus.CounterVec, sent bool) {
	result := "sent"
	if !sent {
		result = "failed"
	}
	mails.WithLabelValues(result).Inc()
}

// Tool counts a call of an MCP tool and the time it took. The result is ok, or the code of
// the refusal.
func (m *Metrics) Tool(tool, result string, took time.Duration) {
	m.toolCalls.WithLabelValues(tool, result).Inc()
	m.toolLatency.WithLabelValues(tool).Observe(took.Seconds())
}

// Gauge registers a gauge whose value is read on each scrape.
func (m *Metrics) Gauge(name, help string, read func() float64) {
	m.LabelledGauge(name, help, nil, read)
}

// LabelledGauge is Gauge for one of several gauges of the same name.
func (m *Metrics) LabelledGauge(name, help string, labels map[string]string, read func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help, ConstLabels: labels},
		read))
}

// ListedGauge registers a gauge whose label's values, and their figures, are read on each scrape. There must be
// few of them.
func (m *Metrics) ListedGauge(name, help, label string, read func() map[string]float64) {
	m.registry.MustRegister(listed{prometheus.NewDesc(name, help, []string{label}, nil), read})
}

type listed struct {
	desc *prometheus.Desc
	read func() map[string]float64
}

// Describe implements prometheus.Collector.
func (l listed) Describe(to chan<- *prometheus.Desc) { to <- l.desc }

// Collect implements prometheus.Collector.
func (l listed) Collect(to chan<- prometheus.Metric) {
	for value, figure := range l.read() {
		to <- prometheus.MustNewConstMetric(l.desc, prometheus.GaugeValue, figure, value)
	}
}

// LabelledCounter registers a counter whose value is read on each scrape.
func (m *Metrics) LabelledCounter(name, help string, labels map[string]string, read func() float64) {
	m.registry.MustRegister(prometheus.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help, ConstLabels: labels},
		read))
}

// build is the source that is running.
type build struct{ version, commit, toolchain string }

func readBuild() build {
	b := build{version: "unknown"}
	info, known := debug.ReadBuildInfo()
	if !known {
		return b
	}
	b.toolchain = info.GoVersion
	if info.Main.Version != "" {
		b.version = info.Main.Version
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			b.commit = setting.Value
		}
	}
	return b
}

// buildInfo is a metric that says which source is running.
func buildInfo() prometheus.Collector {
	b := readBuild()
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: "quayside_build_info",
		Help:        "Always 1; the labels say which source is running.",
		ConstLabels: prometheus.Labels{"version": b.version, "commit": b.commit, "go": b.toolchain}}, func() float64 { return 1 })
}

// Handler serves the metrics and the runtime's profiles. Only operators should be able to
// reach its address.
func (m *Metrics) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	return mux
}
