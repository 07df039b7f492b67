import { isDeepStrictEqual } from 'node:util';
import type { Event, WebhookEvent } from '@payments-service/client';
import { Checks, checkPlanEvents, planOf } from '../../demo/checks.ts';
import type { Arrival } from '../../lab/receiver.ts';
import type { AccountEvidence, Evidence, Finding } from '../evidence.ts';
import { type BehaviourName, retryAfterSeconds } from '../receiver.ts';

/** An attempt is recorded with the time at which it began, which is the receiver's own but for the way there. */
const sameTryMs = 1_500;

/** P5: what was committed has arrived, what has arrived was committed, and the numbers have no gap. */
export function judgeEvents({ accounts, arrivals, refusedWebhooks, replayedFrom }: Evidence): Finding[] {
  const findings: Finding[] = refusedWebhooks.map((what) => ({ promise: 'P5', what }));
  for (const account of accounts) {
    findings.push(...judgeSequence(account));
    for (const endpoint of account.endpoints) {
      const there = arrivals.filter((arrival) => arrival.endpoint === endpoint);
      findings.push(...judgeEndpoint(endpoint, account.events, there));
      const waits = account.waits.filter((wait) => wait.endpoint === endpoint);
      for (const id of tooEarly(waits, there, replayedFrom)) {
        findings.push({
          promise: 'P5',
          what: `${endpoint}: ${id} came again before the time of Retry-After`,
        });
      }
    }
  }
  return findings;
}

function judgeSequence({ name, events }: AccountEvidence): Finding[] {
  const wrong = events.filter(({ sequence }, index) => sequence !== index + 1);
  if (wrong.length === 0) return [];
  return [
    { promise: 'P5', what: `${name}: the numbers of its ${events.length} events have a gap at ${wrong[0]?.sequence}` },
  ];
}

function judgeEndpoint(endpoint: string, events: Event[], arrivals: Arrival<BehaviourName>[]): Finding[] {
  const findings: Finding[] = [];
  const find = (what: string) => findings.push({ promise: 'P5', what: `${endpoint}: ${what}` });
  const committed = new Map(events.map((event) => [event.id, event]));
  const accepted = new Set(arrivals.filter((arrival) => arrival.accepted).map(({ event }) => event.id));
  for (const { id, event_type: type } of events) if (!accepted.has(id)) find(`${type} ${id} was never delivered`);
  for (const { event } of arrivals) {
    const known = committed.get(event.id);
    if (known === undefined) find(`${event.event_type} ${event.id} was delivered, and never committed`);
    else if (!isDeepStrictEqual(known, event))
      find(`${event.event_type} ${event.id} was delivered with other contents`);
  }
  return findings;
}

/**
 * Ids that came again before the time of Retry-After. Only recorded attempts are judged: a sender that died with the
 * response has not read it.
 */
function tooEarly(waits: AccountEvidence['waits'], arrivals: Arrival<BehaviourName>[], replayedFrom: number): string[] {
  return waits.flatMap(({ eventId, at }) => {
    const all = arrivals.filter(({ event }) => event.id === eventId);
    const asked = all.find((arrival) => arrival.behaviour === 'asks to wait' && Math.abs(arrival.at - at) < sameTryMs);
    const next = all.find((arrival) => asked !== undefined && arrival.at > asked.at);
    if (asked === undefined || next === undefined || next.at > replayedFrom) return [];
    // Half a second for the way there and back, which the sender's clock does not measure.
    return next.at < asked.at + retryAfterSeconds * 1000 - 500 ? [eventId] : [];
  });
}

/** P8: the events of each plan on a clock that a receiver got are those of the calendar's calculation, in its order. */
export function judgePlanEvents({ accounts, arrivals, histories }: Evidence): Finding[] {
  const findings: Finding[] = [];
  const checks = new Checks((what) => findings.push({ promise: 'P8', what }));
  for (const { account, plans } of histories) {
    const [endpoint] = accounts.find(({ name }) => name === account.name)?.endpoints ?? [];
    const received = eachOnce(arrivals.filter((arrival) => arrival.endpoint === endpoint));
    for (const plan of plans) {
      checkPlanEvents(
        checks,
        plan,
        received.filter((event) => planOf(event) === plan.planId),
      );
    }
  }
  return findings;
}

/** Each event once, however often it came, in the order of the sequence numbers. */
function eachOnce(arrivals: Arrival<BehaviourName>[]): WebhookEvent[] {
  const events = new Map(arrivals.map(({ event }) => [event.id, event]));
  return [...events.values()].sort((a, b) => a.sequence - b.sequence);
}
