import { isDeepStrictEqual } from 'node:util';
import type { Event, WebhookEvent } from '@payments-service/client';
import { Checks, checkPlanEvents, planOf } from '../../demo/checks.ts';
import type { AccountEvidence, Evidence, Finding } from '../evidence.ts';
import { type Arrival, askedToWaitSeconds } from '../receiver.ts';

/** A try is recorded with the time at which it began, which is the receiver's own but for the way there. */
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
          what: `${endpoint}: ${id} came again before the time that Retry-After asked for`,
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

function judgeEndpoint(endpoint: string, events: Event[], arrivals: Arrival[]): Finding[] {
  const findings: Finding[] = [];
  const say = (what: string) => findings.push({ promise: 'P5', what: `${endpoint}: ${what}` });
  const committed = new Map(events.map((event) => [event.id, event]));
  const taken = new Set(arrivals.filter((arrival) => arrival.taken).map(({ event }) => event.id));
  for (const { id, event_type: type } of events) if (!taken.has(id)) say(`${type} ${id} was never delivered`);
  for (const { event } of arrivals) {
    const known = committed.get(event.id);
    if (known === undefined) say(`${event.event_type} ${event.id} was delivered, and never committed`);
    else if (!isDeepStrictEqual(known, event)) say(`${event.event_type} ${event.id} was delivered with other contents`);
  }
  return findings;
}

/**
 * Ids that came again within the time for which the receiver had asked to be left alone. Only what the sender has recorded is
 * judged, since whoever dies with the answer has not heard it.
 */
function tooEarly(waits: AccountEvidence['waits'], arrivals: Arrival[], replayedFrom: number): string[] {
  return waits.flatMap(({ eventId, at }) => {
    const all = arrivals.filter(({ event }) => event.id === eventId);
    const asked = all.find((arrival) => arrival.mood === 'asks to wait' && Math.abs(arrival.at - at) < sameTryMs);
    const next = all.find((arrival) => asked !== undefined && arrival.at > asked.at);
    if (asked === undefined || next === undefined || next.at > replayedFrom) return [];
    // Half a second for the way there and back, which the sender's clock has not seen.
    return next.at < asked.at + askedToWaitSeconds * 1000 - 500 ? [eventId] : [];
  });
}

/** P8: what a receiver heard of every plan on a clock is what the calendar's calculation tells of, in its order. */
export function judgePlanEvents({ accounts, arrivals, histories }: Evidence): Finding[] {
  const findings: Finding[] = [];
  const checks = new Checks((what) => findings.push({ promise: 'P8', what }));
  for (const { account, plans } of histories) {
    const [endpoint] = accounts.find(({ name }) => name === account.name)?.endpoints ?? [];
    const heard = heardOnce(arrivals.filter((arrival) => arrival.endpoint === endpoint));
    for (const plan of plans) {
      checkPlanEvents(
        checks,
        plan,
        heard.filter((event) => planOf(event) === plan.planId),
      );
    }
  }
  return findings;
}

/** Each event once, however often it came, in the order of the sequence numbers. */
function heardOnce(arrivals: Arrival[]): WebhookEvent[] {
  const events = new Map(arrivals.map(({ event }) => [event.id, event]));
  return [...events.values()].sort((a, b) => a.sequence - b.sequence);
}
