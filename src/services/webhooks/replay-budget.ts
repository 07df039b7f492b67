import { lockReplayBudget, takeFromReplayBudget } from '../../db/webhook-replay-budgets.ts';
import type { Db } from '../../platform/postgres/connection.ts';
import { WebhookReplayLimit } from '../errors.ts';
import type { RequestContext } from '../request-context.ts';

/**
 * How many deliveries a biller may ask for at one host in an hour, by replay, retry and ping. Two full replays at once, then
 * five or six a second: a receiver of ours bears that after an outage, and it is no flood for a host that is somebody else's.
 */
export const replaysPerHour = 20_000;

/** A hundredth of the budget is back after this time, so that the next replay is worth its request. */
const retryAfterSeconds = 36;

/**
 * The name under which the endpoints of one owner share a budget: the last two labels of the host, without its port, so that
 * made-up subdomains bring no more; an address stands for itself. Where names are given out below two labels, as under
 * `co.uk`, it is wider than the owner. That costs only a biller with endpoints at several of them.
 */
export function replayHostOf(url: string): string {
  // The URL parser has written the name in small ASCII letters, and an address in its one canonical form.
  const host = new URL(url).hostname.replace(/\.+$/, '');
  return /^\[|^[\d.]+$/.test(host) ? host : host.split('.').slice(-2).join('.');
}

/**
 * Lets `send` make up to `most` deliveries to the host of a URL, but no more than the budget has left; `send` returns how
 * many it has made. Runs in the caller's transaction, and keeps others of the same budget waiting until it ends.
 * @throws WebhookReplayLimit when nothing is left.
 */
export async function withinReplayBudget<T extends { enqueued: number }>(
  tx: Db,
  call: RequestContext,
  url: string,
  most: number,
  send: (most: number) => Promise<T>,
): Promise<T> {
  const host = replayHostOf(url);
  const used = await lockReplayBudget(tx, call, host, { perHour: replaysPerHour, now: call.now });
  const left = Math.floor(replaysPerHour - used);
  if (left < 1) throw new WebhookReplayLimit(host, replaysPerHour, retryAfterSeconds);
  const sent = await send(Math.min(most, left));
  await takeFromReplayBudget(tx, call, host, sent.enqueued);
  return sent;
}
