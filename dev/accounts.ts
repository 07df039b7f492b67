import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { openPool } from '../src/platform/postgres/connection.ts';
import { atomically } from '../src/platform/postgres/transaction.ts';
import { realNow } from '../src/platform/real-time.ts';
import { createKey, type KeyTraits } from '../src/services/accounts/api-keys.ts';
import { createBiller } from '../src/services/accounts/billers.ts';
import type { DemoBiller } from './data-dir.ts';

/** Where tests on this machine get accounts of their own. */
export interface Accounts {
  url: string;
  /** To be sent as `Authorization: Bearer …`. */
  token: string;
  stop(): Promise<void>;
}

const by = { kind: 'service', id: 'start' } as const;

/**
 * Serves accounts on a free port of loopback: `POST /` returns a new biller with its keys, as `development.json` shows
 * those of the demo biller, and `GET /` the address of the API. Only the service whose `development.json` has the token
 * responds so: that is how tests know whom they join. It is a part of `npm start` alone.
 */
export async function serveAccounts(databaseUrl: string, baseUrl: string): Promise<Accounts> {
  const token = randomBytes(32).toString('base64url');
  const pool = openPool(databaseUrl, { max: 1, name: 'accounts' });

  function createAccount(): Promise<DemoBiller> {
    return atomically(pool, async (tx) => {
      const now = realNow();
      const { id: billerId } = await createBiller(tx, { name: 'Test account', by, now });
      const keyOf = async (traits: KeyTraits) => (await createKey(tx, { billerId, ...traits, by, now })).key;
      const keys = {
        sandbox_secret: await keyOf({ livemode: false, kind: 'secret' }),
        sandbox_publishable: await keyOf({ livemode: false, kind: 'publishable' }),
        live_secret: await keyOf({ livemode: true, kind: 'secret' }),
        live_publishable: await keyOf({ livemode: true, kind: 'publishable' }),
      };
      return { billerId, keys };
    });
  }

  const server = createServer((request, response) => {
    const respond = (status: number, body: object) => {
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    };
    request.resume();
    if (!isSame(request.headers.authorization ?? '', `Bearer ${token}`)) return respond(401, { error: 'wrong token' });
    if (request.method === 'GET') return respond(200, { base_url: baseUrl });
    if (request.method !== 'POST') return respond(405, { error: 'use GET or POST' });
    createAccount().then(
      ({ billerId, keys }) => respond(201, { biller_id: billerId, keys }),
      () => respond(503, { error: 'The database is not reachable.' }),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    url: `http://127.0.0.1:${port}`,
    token,
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await pool.end();
    },
  };
}

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
