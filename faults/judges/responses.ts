import type { Evidence, Finding } from '../evidence.ts';
import { successes } from '../load/journal.ts';

/** P3: what a 2xx promised can be read. */
export function judgeDurability({ unreadable }: Evidence): Finding[] {
  return unreadable.map(({ id, response }) => ({
    promise: 'P3',
    what: `${id} was in a response, and now GET returns ${response}`,
  }));
}

/** P4: all responses under one key are the same bytes, also to a repetition after the run. */
export function judgeResponses({ exchanges, repetitions }: Evidence): Finding[] {
  const findings: Finding[] = [];
  for (const exchange of exchanges) {
    if (exchange.key === null) continue;
    const texts = new Set(successes(exchange).map(({ status, text }) => `${status} ${text}`));
    if (texts.size > 1) {
      findings.push({
        promise: 'P4',
        what: `${exchange.method} ${exchange.path} has ${texts.size} responses under one key`,
      });
    }
  }
  for (const { exchange, status, text } of repetitions) {
    const [first] = successes(exchange);
    if (first === undefined || (first.status === status && first.text === text)) continue;
    const both = `${exchange.method} ${exchange.path} returned ${first.status}, and its repetition ${status}`;
    findings.push({
      promise: 'P4',
      what: `${both}${first.status === status ? ' with other bytes' : `: ${text.slice(0, 200)}`}`,
    });
  }
  return findings;
}

/** P9: what the load does not touch is unchanged. */
export function judgeBystander({ bystander: { before, after } }: Evidence): Finding[] {
  if (before === after) return [];
  return [
    {
      promise: 'P9',
      what: `what the load does not touch (an account, and a biller's live mode) has changed: from ${before} to ${after}`,
    },
  ];
}

/** Nothing is under way, and PostgreSQL and Temporal agree. */
export function judgeStuck({ stuck }: Evidence): Finding[] {
  return stuck.map((what) => ({ promise: 'stuck', what }));
}
