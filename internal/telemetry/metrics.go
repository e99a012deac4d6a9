package telemetry

import (
	"net/http"
	"net/http/pprof"
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
	ingested    *prometheus.CounterVec
	latency     *prometheus.HistogramVec
	deadLetters *prometheus.CounterVec
	spooled     prometheus.Counter
	alerts      *prometheus.CounterVec
	alertMails  *prometheus.CounterVec
	inboxMails  *prometheus.CounterVec
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
	m.registry.MustRegister(m.requests, m.ingested, m.latency, m.deadLetters, m.spooled, m.alerts, m.alertMails,
		m.inboxMails, m.toolCalls, m.toolLatency,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Request counts an answered request.
func (m *Metrics) Request(route string, status int) {
	m.requests.WithLabelValues(route, strconv.Itoa(status)).Inc()
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
