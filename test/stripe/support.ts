import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, before } from 'mocha';
import pino from 'pino';
import { type RigCard, type StripeRig, startStripeRig } from '../../lab/stripe-rig/rig.ts';
import { rigKey } from '../../lab/stripe-rig/servers.ts';
import { type SupervisedProcess, superviseProcess } from '../../lab/supervised-process.ts';
import { openAccounts, writeAccount, writeNoticeSecret } from '../../processors/stripe/accounts.ts';
import { ensureSchema } from '../../processors/stripe/schema.ts';
import { createStripeProcessor } from '../../processors/stripe/server.ts';
import type { Pool } from '../../src/platform/postgres/connection.ts';
import { childEnvironment } from '../../src/processes/config/config.ts';
import { useFolder } from '../runtime/support.ts';
import { needsPrograms } from '../stripe-rig/support.ts';
import { useDatabase } from '../support/database.ts';
import type { Service } from '../support/service.ts';

export const sealingKeys = [{ id: 'test', key: Buffer.alloc(32, 7) }];
export const account = 'acct_harbourgym';
const root = fileURLToPath(new URL('../../', import.meta.url));
const secret = randomBytes(24).toString('hex');

/** A live account of a biller, and the processor service of Stripe as a process of its own. It is not up yet. */
export async function startAdapter(
  service: Pick<Service, 'db' | 'encryptionKeys'>,
  { billerId, liveKey, publishableKey, noticeSecret = null, logFile, env }: AdapterStart,
): Promise<SupervisedProcess> {
  const { sql, url } = service.db;
  const [, sealing = ''] = service.encryptionKeys.split(':');
  const keys = [{ id: 'test', key: Buffer.from(sealing, 'base64') }];
  const place = { account: billerId, livemode: true };
  await ensureSchema(sql);
  await writeAccount(sql, keys, place, { key: liveKey, ...(publishableKey && { publishableKey }), by: 'test' });
  if (noticeSecret !== null) await writeNoticeSecret(sql, keys, place, { secret: noticeSecret, by: 'test' });
  return superviseProcess({
    name: 'processor-stripe',
    args: ['--import', join(root, 'setup.mjs'), join(root, 'processors/stripe/main.ts')],
    logFile,
    env: childEnvironment({ DATABASE_URL: url, ENCRYPTION_KEYS: service.encryptionKeys, ...env }),
  });
}

interface AdapterStart {
  billerId: string;
  liveKey: string;
  publishableKey?: string;
  noticeSecret?: string | null;
  logFile: string;
  env: Record<string, string>;
}

/** What the processor service has answered. */
export interface Answered {
  status: number;
  body: Record<string, unknown>;
}

export interface StripeUnderTest {
  readonly rig: StripeRig;
  readonly sql: Pool;
  readonly url: string;
  readonly secret: string;
  /** A call of the protocol, for `account` in the sandbox unless the body says otherwise. */
  call(path: string, body: Record<string, unknown>, key?: string): Promise<Answered>;
  /** A payment method of a card, as Stripe's own fields make it. */
  card(card?: RigCard): Promise<string>;
  /** The body of a payment by a method. */
  payment(token: string, over?: Record<string, unknown>): Record<string, unknown>;
  /** Reserves a payment. Returns its key, its body and its reference. */
  reserved(token: string, key?: string): Promise<{ key: string; body: Record<string, unknown>; reference: string }>;
}

/** Gives the `describe` a processor service of Stripe with one account, in front of the rig. */
export function useStripe(): StripeUnderTest {
  needsPrograms('localstripe', 'stripe-mock');
  const folder = useFolder();
  const database = useDatabase();
  let rig: StripeRig;
  let url = '';
  let close: () => Promise<void> = async () => {};
  let last = 0;

  before('start Stripe and its processor service', async function () {
    this.timeout(120_000);
    rig = await startStripeRig(folder.path);
    await ensureSchema(database.sql);
    const place = { account, livemode: false };
    await writeAccount(database.sql, sealingKeys, place, { key: rigKey, by: 'test' });
    const accounts = openAccounts(database.sql, sealingKeys, rig.url);
    const logger = pino({ level: 'silent' });
    const server = createStripeProcessor({ db: database.sql, accounts, secret, logger, stripeApiUrl: rig.url });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    close = async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    };
  });
  after('end them', async () => {
    await close();
    await rig?.stop();
  });

  async function call(path: string, body: Record<string, unknown>, key?: string): Promise<Answered> {
    const response = await fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${secret}`,
        'content-type': 'application/json',
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body: JSON.stringify({ account, livemode: false, ...body }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  }

  function payment(token: string, over: Record<string, unknown> = {}): Record<string, unknown> {
    return {
      ...{ payment_intent_id: 'pi_1', amount: 1018, base_amount: 1000, currency: 'AUD', attempt: 1 },
      payment_method: { id: 'pm_1', type: 'card', token },
      metadata: {},
      ...over,
    };
  }

  return {
    get rig() {
      return rig;
    },
    get sql() {
      return database.sql;
    },
    get url() {
      return url;
    },
    secret,
    call,
    payment,
    card: (card = 'good') => rig.makeCard(card),
    async reserved(token, key = `att_${++last}x${randomBytes(4).toString('hex')}`) {
      const body = payment(token);
      const answer = await call('/prepare', body, key);
      if (answer.body.outcome !== 'reserved') throw new Error(`not reserved: ${JSON.stringify(answer)}`);
      return { key, body, reference: String(answer.body.reference) };
    },
  };
}
