import { lockReplayBudget, takeFromReplayBudget } from '../../db/webhook-replay-budgets.ts';
import type { Tx } from '../../platform/postgres/connection.ts';
import { WebhookReplayLimit } from '../errors.ts';
import type { RequestContext } from '../request-context.ts';

/**
 * How many deliveries a biller may request at one host per hour, by replay, retry and ping. That is two full replays at
 * once, then five or six deliveries per second. A biller's own receiver can take that after an outage, and it does not
 * flood a host that belongs to someone else.
 */
const replaysPerHour = 20_000;

/** A hundredth of the budget is restored after this time, so that the next replay is worth its request. */
const retryAfterSeconds = 36;

/**
 * Returns the key under which the endpoints of one owner share a budget. It is the last two labels of the host, without
 * its port, so that made-up subdomains do not add budget. An IP address is its own key. Where names are registered
 * below two labels, as under `co.uk`, several owners share a key. That only affects a biller with endpoints at several
 * of them.
 */
export function replayHostOf(url: string): string {
  // The URL parser returns the name in lower-case ASCII and an address in its canonical form.
  const host = new URL(url).hostname.replace(/\.+$/, '');
  return /^\[|^[\d.]+$/.test(host) ? host : host.split('.').slice(-2).join('.');
}

/**
 * Lets `send` make up to `most` deliveries to the host of a URL, but no more than the budget has left. `send` returns
 * how many it has made. Runs in the caller's transaction and locks the budget until that ends.
 * @throws WebhookReplayLimit if nothing is left.
 */
export async function withinReplayBudget<T extends { enqueued: number }>(
  tx: Tx,
  context: RequestContext,
  url: string,
  most: number,
  send: (most: number) => Promise<T>,
): Promise<T> {
  const host = replayHostOf(url);
  const used = await lockReplayBudget(tx, context, host, { perHour: replaysPerHour, now: context.now });
  const left = Math.floor(replaysPerHour - used);
  if (left < 1) throw new WebhookReplayLimit(host, replaysPerHour, retryAfterSeconds);
  const sent = await send(Math.min(most, left));
  await takeFromReplayBudget(tx, context, host, sent.enqueued);
  return sent;
}
