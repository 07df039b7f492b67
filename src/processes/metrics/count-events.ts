import { realNow } from '../../platform/real-time.ts';
import { secondsBetween } from '../../platform/telemetry.ts';
import { subscribe, type TelemetryEvent } from '../../services/telemetry.ts';
import type { ServiceMetrics } from './service-metrics.ts';

type Counting = { [Kind in TelemetryEvent['kind']]: (seen: Extract<TelemetryEvent, { kind: Kind }>) => void };

/** Counts the telemetry events of this process. Returns a function that stops it. */
export function countTelemetry(metrics: ServiceMetrics): () => void {
  const counting: Counting = {
    'charge opened': ({ source, lagSeconds, ...owner }) => {
      if (lagSeconds !== null) metrics.dueLagSeconds.observe({ source, mode: modeOf(owner) }, lagSeconds);
    },
    'charge completed': ({ source, outcome, code, openedAt, byPayer, ...owner }) => {
      const mode = modeOf(owner);
      metrics.charges.inc({ mode, source, outcome, code: code ?? '' });
      if (byPayer && outcome === 'failed') metrics.payerFailures.inc({ mode });
      if (openedAt !== null) metrics.chargeSeconds.observe({ source, mode }, secondsBetween(openedAt, realNow()));
    },
    'refund completed': ({ outcome, ...owner }) => metrics.refunds.inc({ mode: modeOf(owner), outcome }),
    'events recorded': ({ types, ...owner }) => {
      for (const type of types) metrics.events.inc({ mode: modeOf(owner), event_type: type });
    },
    'delivery attempted': ({ outcome, attempt, seconds, lagSeconds, ...owner }) => {
      const mode = modeOf(owner);
      metrics.webhookAttempts.inc({ mode, outcome });
      metrics.webhookSeconds.observe({ outcome }, seconds);
      if (lagSeconds !== null) {
        metrics.webhookLagSeconds.observe({ attempt: attempt === 1 ? 'first' : 'later', mode }, lagSeconds);
      }
    },
    'delivery refused': () => metrics.webhookRefusals.inc(),
    'advance ended': ({ outcome, seconds }) => metrics.advanceSeconds.observe({ outcome }, seconds),
    'clock compared': ({ skewSeconds }) => metrics.clockSkew.set(skewSeconds),
    'outbox entry dispatched': ({ workflowType, isDispatched, madeAt }) => {
      // Dashboards know the outcome by this name.
      metrics.outboxEntries.inc({ workflow: workflowType, outcome: isDispatched ? 'told' : 'failed' });
      if (isDispatched) metrics.outboxLagSeconds.observe(secondsBetween(madeAt, realNow()));
    },
    'transaction awaited': () => metrics.transactionsWaiting.inc(),
    'transaction begun': ({ waitSeconds }) => {
      metrics.transactionsWaiting.dec();
      metrics.transactionsOpen.inc();
      metrics.connectionWaitSeconds.observe(waitSeconds);
    },
    'transaction ended': ({ hadBegun }) => (hadBegun ? metrics.transactionsOpen : metrics.transactionsWaiting).dec(),
    'log lines lost': ({ lines }) => metrics.logLinesLost.inc(lines),
  };
  return subscribe((event) => {
    const count = counting[event.kind] as (seen: TelemetryEvent) => void;
    count(event);
  });
}

function modeOf({ livemode }: { livemode: boolean }): 'live' | 'sandbox' {
  return livemode ? 'live' : 'sandbox';
}
