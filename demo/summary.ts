import type { Payment } from '../lab/model/plans.ts';
import { percentile } from '../lab/statistics.ts';
import type { Scene } from './scene.ts';
import type { Service } from './service.ts';
import { chapter, count, difference, minute, money, say, table } from './timeline.ts';

/** What there is to see at the end. The plans are shown as the rules have them; differences were shown before. */
export function showSummary(
  { advances, tracked, checks, arrivedAfterMs, clockId }: Scene,
  { uiUrl, own }: Service,
  keep: boolean,
): void {
  chapter('Advances');
  const numeric = (title: string, width: number) => ({ title, width, align: 'right' as const });
  table(
    [
      numeric('#', 2),
      { title: 'from', width: 16 },
      { title: 'to', width: 16 },
      numeric('days', 4),
      numeric('wall ms', 7),
      numeric('intents', 7),
      numeric('plans', 5),
      numeric('links', 5),
      numeric('subscriptions', 13),
    ],
    advances.map(({ from, to, wallMs, manifest }, index) => [
      ...[index + 1, minute(from), minute(to), (to - from) / 86_400_000, wallMs.toFixed(0)].map(String),
      ...[manifest?.payment_intents_enqueued, manifest?.plans_recalculated].map((number) => String(number ?? '?')),
      ...[manifest?.links_expired, manifest?.subscriptions_rolled].map((number) => String(number ?? '?')),
    ]),
  );
  say('intents to subscriptions: the effects_manifest (enqueued, recalculated, expired, rolled)');

  chapter('Plans');
  table(
    [
      { title: 'plan', width: 6 },
      { title: 'state', width: 9 },
      numeric('collected', 9),
      numeric('of', 7),
      { title: 'payments', width: 60 },
    ],
    tracked.map(({ label, course: { state, collected, terms, payments } }) => [
      label,
      state,
      money(collected),
      terms.total === null ? 'no end' : money(terms.total),
      paymentsInWords(payments),
    ]),
  );

  chapter('Webhooks');
  const waits = [...arrivedAfterMs.values()].filter((ms) => ms !== null);
  const share = (part: number) => (waits.length === 0 ? 0 : percentile(waits, part));
  say(
    `${count(arrivedAfterMs.size, 'event')} received, their signatures checked; ` +
      `${share(0.5)} ms in the middle, ${share(1)} ms at most.`,
  );

  chapter('Web UI');
  const query = encodeURIComponent(`TestClockId="${clockId}"`);
  say(
    uiUrl === null
      ? 'Its address is in the development.json (--keys).'
      : `${uiUrl}/namespaces/payments/workflows?query=${query}`,
  );

  if (own !== null && !keep) say('It ends with the demo; --keep leaves it up.');

  if (checks.differences.length > 0) chapter('Differences');
  for (const text of checks.differences) difference(text);
  say();
}

function paymentsInWords(payments: Payment[]): string {
  const number = (status: Payment['status']) => payments.filter((payment) => payment.status === status).length;
  const tries = payments.reduce((sum, { attempts }) => sum + attempts.length, 0);
  const parts = [`${number('paid')} paid`];
  for (const status of ['skipped', 'failed', 'retrying'] as const) {
    if (number(status) > 0) parts.push(`${number(status)} ${status}`);
  }
  parts.push(count(tries, 'attempt'));
  return `${parts.join(', ')}: ${payments.map(({ dueDate }) => dueDate.slice(5)).join(' ')}`;
}
