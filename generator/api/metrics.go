package api

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are what /metrics shows, for Prometheus.
type metrics struct {
	handler  http.Handler
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	open     prometheus.Gauge
}

func newMetrics(version string) *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "strata_api_requests_total", Help: "Requests that were answered."}, []string{"route", "method", "status"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "strata_api_request_seconds", Help: "From the head of a request to its answer.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route"}),
		open: prometheus.NewGauge(prometheus.GaugeOpts{Name: "strata_api_requests_open", Help: "Requests that are not answered yet."}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "strata_build_info", Help: "The program.", ConstLabels: prometheus.Labels{"version": version}})
	build.Set(1)
	all := prometheus.NewRegistry()
	all.MustRegister(m.requests, m.seconds, m.open, build, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(all, promhttp.HandlerOpts{})
	return m
}

func (m *metrics) serve(w http.ResponseWriter, r *http.Request) { m.handler.ServeHTTP(w, r) }

// begin counts a request that has come; what it returns, one that is answered.
func (m *metrics) begin() func(route, method string, status int, took time.Duration) {
	m.open.Inc()
	return func(route, method string, status int, took time.Duration) {
		m.open.Dec()
		m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
		m.seconds.WithLabelValues(route).Observe(took.Seconds())
	}
}
