import { tableOf } from '../lab/program.ts';
import { median } from '../lab/statistics.ts';
import type { Fault } from './campaign.ts';
import type { Evidence, Finding, SeenEntry } from './evidence.ts';
import { successes } from './load/journal.ts';
import type { Replays } from './quiet.ts';
import { mostForOthers, type Recovery } from './recovery.ts';

export interface Report {
  seed: string;
  started_at: string;
  seconds: number;
  verdict: 'kept' | 'broken';
  faults: { injected: number; by_kind: Record<string, number>; skipped: string[] };
  crash_points: { fired: number; of: number; missing: string[] };
  load: {
    requests: number;
    answered_2xx: number;
    /** Tries that were repeated, by what they got instead of a final response. */
    setbacks: Record<string, number>;
    charges_made: number;
    /** Of them, those that the live processor has made. */
    charges_made_live: number;
    charge_calls: number;
    refunds_made: number;
    /** Those that a bank was handed, and how often one came back. */
    debits_handed_over: number;
    debits_returned: number;
    /** Links, and the payments that were made behind them. */
    links: number;
    link_payments: number;
    /** Of subscriptions, on clocks and in real time. */
    periods_begun: number;
    advances: number;
    plans_on_clocks: number;
  };
  double_charges: number;
  missing_charges: number;
  events: { committed: number; lost: number; deliveries_taken: number; deliveries_repeated: number; replays: Replays };
  stuck_workflows: number;
  /** Milliseconds. */
  recovery: Record<string, { limit: number; median: number; slowest: number; samples: number; judged: number }>;
  starts_under_load: Record<string, { median: number; slowest: number; samples: number }>;
  own_ends: string[];
  /** With 95 % confidence, the rate of broken promises for each fault lies below this. */
  failure_rate_below: number | null;
  findings: Finding[];
}

export interface Outcome {
  seed: string;
  startedAt: string;
  seconds: number;
  faults: Fault[];
  skipped: string[];
  points: { all: readonly string[]; fired: ReadonlySet<string> };
  evidence: Evidence;
  setbacks: ReadonlyMap<string, number>;
  replays: Replays;
  recoveries: Recovery[];
  startTimes: readonly { name: string; ms: number }[];
  ownEnds: readonly { name: string; how: string }[];
  findings: Finding[];
}

export function makeReport(outcome: Outcome): Report {
  const { evidence, faults, findings, points } = outcome;
  const charges = evidence.ledger.filter(({ kind }) => kind === 'charge');
  const paid = keysOf(charges, 'succeeded');
  const events = evidence.accounts.flatMap((account) => account.events);
  const givenBack = evidence.ledger.filter(({ kind, outcome }) => kind === 'refund' && outcome === 'succeeded');
  const accepted = evidence.arrivals.filter(({ accepted }) => accepted);
  const distinct = new Set(accepted.map(({ endpoint, event }) => `${endpoint} ${event.id}`));
  const requests = evidence.exchanges.filter(({ method }) => method !== 'GET');
  const byPromise = (promise: Finding['promise']) => findings.filter((finding) => finding.promise === promise).length;
  return {
    seed: outcome.seed,
    started_at: outcome.startedAt,
    seconds: Math.round(outcome.seconds),
    verdict: findings.length === 0 ? 'kept' : 'broken',
    faults: { injected: faults.length, by_kind: countBy(faults.map(({ kind }) => kind)), skipped: outcome.skipped },
    crash_points: {
      fired: points.fired.size,
      of: points.all.length,
      missing: points.all.filter((point) => !points.fired.has(point)),
    },
    load: {
      requests: requests.length,
      answered_2xx: requests.filter((exchange) => successes(exchange).length > 0).length,
      setbacks: Object.fromEntries(outcome.setbacks),
      charges_made: paid.size,
      charges_made_live: keysOf(
        charges.filter(({ livemode }) => livemode),
        'succeeded',
      ).size,
      charge_calls: charges.length,
      refunds_made: new Set(givenBack.map((entry) => entry.idempotency_key)).size,
      debits_handed_over: keysOf(charges, 'submitted').size,
      debits_returned: events.filter(({ event_type: type }) => type === 'payment_intent.returned').length,
      links: evidence.links.length,
      link_payments: evidence.links.reduce((sum, { link }) => sum + link.payments_count, 0),
      periods_begun: events.filter(({ event_type: type }) => /^subscription\.(started|renewed)$/.test(type)).length,
      advances: requests.filter(({ path }) => path.endsWith('/advance')).length,
      plans_on_clocks: evidence.histories.reduce((sum, { plans }) => sum + plans.length, 0),
    },
    double_charges: byPromise('P1'),
    missing_charges: byPromise('P2'),
    events: {
      committed: events.length,
      lost: findings.filter(({ promise, what }) => promise === 'P5' && what.includes('never delivered')).length,
      deliveries_taken: accepted.length,
      deliveries_repeated: accepted.length - distinct.size,
      replays: outcome.replays,
    },
    stuck_workflows: evidence.stuck.length,
    recovery: Object.fromEntries(
      groups(outcome.recoveries, ({ what }) => what).map(([what, of]) => [
        what,
        {
          limit: of[0]?.limitMs ?? 0,
          ...spread(of),
          judged: of.filter(({ othersShare }) => othersShare <= mostForOthers).length,
        },
      ]),
    ),
    starts_under_load: Object.fromEntries(
      groups(outcome.startTimes, ({ name }) => name.split(' ')[0] ?? name).map(([name, of]) => [name, spread(of)]),
    ),
    own_ends: outcome.ownEnds.map(({ name, how }) => `${name}: ${how}`),
    failure_rate_below: findings.length === 0 && faults.length > 0 ? 3 / faults.length : null,
    findings,
  };
}

/** The keys under which a charge came to this outcome. */
function keysOf(charges: readonly SeenEntry[], wanted: string): Set<string> {
  return new Set(charges.filter(({ outcome }) => outcome === wanted).map((entry) => entry.idempotency_key));
}

/** The report as text; at most the first findings of each kind. */
export function renderReport(report: Report): string {
  const { faults, crash_points: points, load, events } = report;
  const list = (counts: Record<string, number>) =>
    Object.entries(counts)
      .sort(([, a], [, b]) => b - a)
      .map(([name, count]) => `${name} ${count}`)
      .join(', ') || 'none';
  const rows: [string, string][] = [
    ['seed', report.seed],
    ['time', `${report.seconds} s`],
    ['faults injected', `${faults.injected} (${list(faults.by_kind)})`],
    ['not possible here', faults.skipped.join(', ') || 'nothing'],
    [
      'crash points fired',
      `${points.fired} of ${points.of}${points.missing.length > 0 ? `, not: ${points.missing.join(', ')}` : ''}`,
    ],
    ['requests', `${load.requests}, with 2xx in the end: ${load.answered_2xx}`],
    ['tries without a final response', list(load.setbacks)],
    [
      'charges made',
      `${load.charges_made}, of them in live mode ${load.charges_made_live}; ` +
        `requests to the processors, repetitions included: ${load.charge_calls}`,
    ],
    ['refunds made', String(load.refunds_made)],
    ['bank debits', `${load.debits_handed_over} handed over, ${load.debits_returned} came back`],
    ['payment links', `${load.links}, paid ${load.link_payments} times on the pages`],
    ['periods of subscriptions', String(load.periods_begun)],
    ['advances', `${load.advances}, of ${load.plans_on_clocks} plans on clocks`],
    ['double charges', String(report.double_charges)],
    ['missing charges', String(report.missing_charges)],
    ['events committed', String(events.committed)],
    ['events lost', String(events.lost)],
    ['deliveries', `${events.deliveries_taken} accepted, ${events.deliveries_repeated} of them repeated`],
    ['replayed', `${events.replays.enqueued} refused deliveries, by ${events.replays.requests} replays`],
    ['stuck', String(report.stuck_workflows)],
    ...Object.entries(report.recovery).map(([what, { limit, median, slowest, samples, judged }]): [string, string] => [
      `recovery, ${what}`,
      `median ${median} ms, slowest ${slowest} ms of ${samples}; promised ${limit} ms` +
        (judged < samples ? ` (${samples - judged} not judged: other programs used the machine)` : ''),
    ]),
    ...Object.entries(report.starts_under_load).map(([name, { median, slowest, samples }]): [string, string] => [
      `starts of the ${name}`,
      `median ${median} ms, slowest ${slowest} ms of ${samples}, all with the load and the faults at the same time`,
    ]),
    ['ended on their own', report.own_ends.join(', ') || 'none'],
  ];
  return `${tableOf(rows, 'left').join('\n')}\n\n${conclusion(report)}`;
}

const shownOfEach = 8;

function conclusion({ findings, failure_rate_below: rate, faults }: Report): string {
  if (findings.length === 0) {
    const bound =
      rate === null ? '' : `: with 95 % confidence fewer than ${(100 * rate).toFixed(2)} % of such faults break one`;
    return `Every promise was kept in ${faults.injected} faults${bound}.`;
  }
  const shown = groups(findings, ({ promise }) => promise).flatMap(([promise, of]) => [
    ...of.slice(0, shownOfEach).map(({ what }) => `${promise}: ${what}`),
    ...(of.length > shownOfEach ? [`${promise}: and ${of.length - shownOfEach} more`] : []),
  ]);
  return [`BROKEN: ${findings.length} findings.`, ...shown].join('\n');
}

function spread(of: readonly { ms: number }[]): { median: number; slowest: number; samples: number } {
  const times = of.map(({ ms }) => Math.round(ms));
  return { median: median(times), slowest: Math.max(...times), samples: times.length };
}

function groups<T>(items: readonly T[], nameOf: (item: T) => string): [string, T[]][] {
  const found = new Map<string, T[]>();
  for (const item of items) found.set(nameOf(item), [...(found.get(nameOf(item)) ?? []), item]);
  return [...found];
}

function countBy(names: readonly string[]): Record<string, number> {
  return Object.fromEntries(groups(names, (name) => name).map(([name, of]) => [name, of.length]));
}
