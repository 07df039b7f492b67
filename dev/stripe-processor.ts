// The processor service of Stripe under `npm start`: it runs if the database has a Stripe account for live mode.

import { randomBytes } from 'node:crypto';
import { openPool, type Pool } from '../src/platform/postgres/connection.ts';
import { repeat } from '../src/platform/repeat.ts';
import { findFreePorts } from './ports.ts';
import { keepChild, type ServiceOptions } from './service.ts';
import { Interrupted, untilAborted } from './stack.ts';

/** An account that is added while the service runs takes payments within ten seconds. */
const lookEveryMs = 2_000;

/**
 * Starts the processor service of Stripe if there is a live account, and sets the environment of the service so that it
 * is used. Not if the environment names another processor service.
 * @throws StartError; Interrupted when the signal comes.
 */
export async function startStripe(service: ServiceOptions, databaseUrl: string): Promise<void> {
  if (service.config.liveProcessor !== null) return;
  const sql = openPool(databaseUrl, { max: 1, name: 'stripe accounts' });
  try {
    if (await hasLiveAccount(sql)) await start(service, databaseUrl);
  } finally {
    await sql.end({ timeout: 5 });
  }
}

/**
 * Looks every two seconds for the first live account, if there was none. It starts the processor service then, and
 * restarts the service, which learns of it from its environment.
 */
export function awaitStripe(service: ServiceOptions, databaseUrl: string, restart: () => Promise<void>): void {
  const { config, env, stack, say, signal } = service;
  if (config.liveProcessor !== null || env.LIVE_PROCESSOR_URL) return;
  const sql = openPool(databaseUrl, { max: 1, name: 'stripe accounts' });
  const looking = repeat(
    async () => {
      if (!(await hasLiveAccount(sql))) return lookEveryMs;
      say('A Stripe account was added for live mode; starting its processor service');
      if (!env.LIVE_PROCESSOR_URL) await start(service, databaseUrl);
      await restart();
      say('Live mode takes payments by Stripe');
      return Number.POSITIVE_INFINITY;
    },
    {
      everyMs: lookEveryMs,
      // PostgreSQL may be away for a moment.
      onError: (error) => {
        if (!signal.aborted) say(`Stripe accounts: ${error instanceof Error ? error.message : String(error)}`);
      },
    },
  );
  stack.push({
    name: 'Stripe accounts',
    async stop() {
      await looking.close();
      await sql.end({ timeout: 5 });
    },
  });
}

async function hasLiveAccount(sql: Pool): Promise<boolean> {
  const [found] = await sql`select to_regclass('processor_stripe.accounts') is not null as exists`;
  if (!found?.exists) return false;
  const [row] = await sql`
    select exists (select from processor_stripe.accounts where livemode and status <> 'disabled') as exists`;
  return row?.exists === true;
}

async function start({ config, env, stack, say, signal }: ServiceOptions, databaseUrl: string) {
  const [port = 0] = await findFreePorts(1);
  const secret = randomBytes(24).toString('hex');
  const own = { PROCESSOR_PORT: String(port), PROCESSOR_SECRET: secret, DATABASE_URL: databaseUrl };
  const processor = keepChild('processor-stripe', config.dataDir, { ...env, ...own }, [], say);
  stack.push(processor);
  try {
    if ((await Promise.race([processor.started, untilAborted(signal)])) === null) throw new Interrupted();
  } catch (error) {
    stack.splice(stack.indexOf(processor), 1);
    await processor.stop();
    throw error;
  }
  const fields = env.LIVE_CARD_FIELDS || stripeCardFields(env.STRIPE_API_URL);
  const url = `http://127.0.0.1:${port}`;
  Object.assign(env, { LIVE_PROCESSOR_URL: url, LIVE_PROCESSOR_SECRET: secret, LIVE_CARD_FIELDS: fields });
}

/**
 * What live pages load for Stripe's fields for cards (docs.stripe.com/security/guide#content-security-policy), or for
 * those of a server in place of Stripe.
 */
function stripeCardFields(apiUrl: string | undefined): string {
  if (apiUrl) {
    const { origin } = new URL(apiUrl);
    return `script-src ${origin}; connect-src ${origin}`;
  }
  return [
    'script-src https://js.stripe.com',
    'frame-src https://js.stripe.com https://hooks.stripe.com',
    'connect-src https://api.stripe.com',
  ].join('; ');
}
