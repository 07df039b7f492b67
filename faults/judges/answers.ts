import type { Evidence, Finding } from '../evidence.ts';
import { successes } from '../load/journal.ts';

/** P3: what was answered with 2xx can be read. */
export function judgeDurability({ unreadable }: Evidence): Finding[] {
  return unreadable.map(({ id, answer }) => ({ promise: 'P3', what: `${id} was answered, and now: ${answer}` }));
}

/** P4: all answers under one key are the same bytes, the one to a repetition after everything too. */
export function judgeAnswers({ exchanges, repetitions }: Evidence): Finding[] {
  const findings: Finding[] = [];
  for (const exchange of exchanges) {
    if (exchange.key === null) continue;
    const texts = new Set(successes(exchange).map(({ status, text }) => `${status} ${text}`));
    if (texts.size > 1) {
      findings.push({
        promise: 'P4',
        what: `${exchange.method} ${exchange.path} has ${texts.size} answers under one key`,
      });
    }
  }
  for (const { exchange, status, text } of repetitions) {
    const [first] = successes(exchange);
    if (first === undefined || (first.status === status && first.text === text)) continue;
    const told = `${exchange.method} ${exchange.path} was answered ${first.status}, and its repetition ${status}`;
    findings.push({
      promise: 'P4',
      what: `${told}${first.status === status ? ' with other bytes' : `: ${text.slice(0, 200)}`}`,
    });
  }
  return findings;
}

/** P9: what nobody has touched is as it was. */
export function judgeBystander({ bystander: { before, after } }: Evidence): Finding[] {
  if (before === after) return [];
  return [
    {
      promise: 'P9',
      what: `what nobody touches (an account, and a biller's live mode) has changed: from ${before} to ${after}`,
    },
  ];
}

/** Nothing is under way any more, and PostgreSQL and Temporal agree. */
export function judgeStuck({ stuck }: Evidence): Finding[] {
  return stuck.map((what) => ({ promise: 'stuck', what }));
}
