import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** Seconds: from a tenth, which payers and billers do not notice, to an hour, after which they have called. */
const lagBuckets = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600];
/** Seconds of a call between machines, up to that of a receiver that hangs. */
const callBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];
const waitBuckets = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * The Prometheus metrics of a process's own work. Labels hold no ids, paths or free text, so that the number of series
 * is bounded: mode, source, outcome, code, event type, route. Each process counts only what it has committed itself,
 * once, so sums over processes are right.
 */
export function createServiceMetrics(registry: Registry) {
  const registers = [registry];
  return {
    requestSeconds: new Histogram({
      name: 'payments_http_request_duration_seconds',
      help: 'Requests to the API, by route (its template), method and status; a request that no route takes has the route "none"',
      labelNames: ['route', 'method', 'status'] as const,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
      registers,
    }),
    pageSeconds: new Histogram({
      name: 'payments_page_duration_seconds',
      help: 'Requests to the pages for payers, by route (its template), method and status; those of "state" wait for a change',
      labelNames: ['route', 'method', 'status'] as const,
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 60],
      registers,
    }),
    requestsUnderWay: new Gauge({
      name: 'payments_http_requests_in_flight',
      help: 'Requests that have no response yet',
      registers,
    }),
    dueLagSeconds: new Histogram({
      name: 'payments_due_lag_seconds',
      help: 'From the instant at which a payment or retry was due to the opening of its charge; real time only, no test clocks',
      labelNames: ['source', 'mode'] as const,
      buckets: lagBuckets,
      registers,
    }),
    charges: new Counter({
      name: 'payments_charges_total',
      help: 'Outcomes of charges; code is that of a failure, else empty',
      labelNames: ['mode', 'source', 'outcome', 'code'] as const,
      registers,
    }),
    chargeSeconds: new Histogram({
      name: 'payments_charge_duration_seconds',
      help: 'From the opening of a charge to its outcome: the processor, and two commits',
      labelNames: ['source', 'mode'] as const,
      buckets: callBuckets,
      registers,
    }),
    payerFailures: new Counter({
      name: 'payments_payer_failures_total',
      help: 'Attempts of payers that failed, with publishable keys and on pages: many may be stolen cards that are tried out',
      labelNames: ['mode'] as const,
      registers,
    }),
    refunds: new Counter({
      name: 'payments_refunds_total',
      help: 'Outcomes of refunds',
      labelNames: ['mode', 'outcome'] as const,
      registers,
    }),
    events: new Counter({
      name: 'payments_events_total',
      help: 'Events that were recorded, with or without a subscriber',
      labelNames: ['mode', 'event_type'] as const,
      registers,
    }),
    webhookAttempts: new Counter({
      name: 'payments_webhook_attempts_total',
      help: 'Attempts of webhook deliveries: delivered, retrying (another one follows) or failed (given up)',
      labelNames: ['mode', 'outcome'] as const,
      registers,
    }),
    webhookSeconds: new Histogram({
      name: 'payments_webhook_attempt_duration_seconds',
      help: 'From sending a webhook to the response of its receiver, or to giving up',
      labelNames: ['outcome'] as const,
      buckets: callBuckets,
      registers,
    }),
    webhookLagSeconds: new Histogram({
      name: 'payments_webhook_delivery_lag_seconds',
      help: 'From the record of an event to its delivery; "first" has those whose first attempt it was: the service’s own share',
      labelNames: ['attempt', 'mode'] as const,
      buckets: lagBuckets,
      registers,
    }),
    webhookRefusals: new Counter({
      name: 'payments_webhook_refusals_total',
      help: 'Attempts that were put off, since it was not the turn of their endpoint',
      registers,
    }),
    advanceSeconds: new Histogram({
      name: 'payments_clock_advance_duration_seconds',
      help: 'From the acceptance of a test clock’s advance to its end, real time',
      labelNames: ['outcome'] as const,
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers,
    }),
    outboxEntries: new Counter({
      name: 'payments_workflow_intents_total',
      help: 'Outbox entries that this process has tried to dispatch to Temporal, and whether Temporal accepted them',
      labelNames: ['workflow', 'outcome'] as const,
      registers,
    }),
    outboxLagSeconds: new Histogram({
      name: 'payments_workflow_intent_lag_seconds',
      help: 'From the commit of an outbox entry to its acceptance by Temporal',
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
      registers,
    }),
    transactionsWaiting: new Gauge({
      name: 'payments_db_transactions_waiting',
      help: 'Transactions of this process that wait for a connection',
      registers,
    }),
    transactionsOpen: new Gauge({
      name: 'payments_db_transactions_open',
      help: 'Transactions of this process that have a connection for themselves',
      registers,
    }),
    connectionWaitSeconds: new Histogram({
      name: 'payments_db_connection_wait_seconds',
      help: 'What a transaction waits for its connection, the round trip of its begin included',
      buckets: waitBuckets,
      registers,
    }),
    clockSkew: new Gauge({
      name: 'payments_clock_skew_seconds',
      help: 'How far the clock of this process is ahead of that of PostgreSQL; negative: behind',
      registers,
    }),
    logLinesLost: new Counter({
      name: 'payments_log_lines_lost_total',
      help: 'Lines of this process’s log that could not be written: its disk is full, or nothing reads it',
      registers,
    }),
  };
}

export type ServiceMetrics = ReturnType<typeof createServiceMetrics>;
