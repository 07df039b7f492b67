import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { openPool } from '../src/platform/postgres/connection.ts';
import { atomically } from '../src/platform/postgres/transaction.ts';
import { realNow } from '../src/platform/real-time.ts';
import { createKey, type KeyTraits } from '../src/services/accounts/api-keys.ts';
import { createBiller, type NewBiller } from '../src/services/accounts/billers.ts';
import { ValidationFailed } from '../src/services/errors.ts';
import type { DemoBiller } from './data-dir.ts';

/** Where tests on this machine get accounts of their own. */
export interface Accounts {
  url: string;
  /** To be sent as `Authorization: Bearer …`. */
  token: string;
  stop(): Promise<void>;
}

type AccountOptions = Pick<NewBiller, 'timeZone' | 'country'>;

const by = { kind: 'service', id: 'start' } as const;

/**
 * Serves accounts on a free port of loopback: `POST /` returns a new biller with its keys, as `development.json` shows
 * those of the demo biller, and `GET /` the address of the API. A body may give `time_zone` and `country`. Only the
 * service whose `development.json` has the token responds so: that is how tests know whom they join. It is a part of
 * `npm start` alone.
 */
export async function serveAccounts(databaseUrl: string, baseUrl: string): Promise<Accounts> {
  const token = randomBytes(32).toString('base64url');
  const pool = openPool(databaseUrl, { max: 1, name: 'accounts' });

  function createAccount(options: AccountOptions): Promise<DemoBiller> {
    return atomically(pool, async (tx) => {
      const now = realNow();
      const { id: billerId } = await createBiller(tx, { name: 'Test account', ...options, by, now });
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
    if (request.method !== 'POST') request.resume();
    if (!isSame(request.headers.authorization ?? '', `Bearer ${token}`)) return respond(401, { error: 'wrong token' });
    if (request.method === 'GET') return respond(200, { base_url: baseUrl });
    if (request.method !== 'POST') return respond(405, { error: 'use GET or POST' });
    optionsIn(request)
      .then(createAccount)
      .then(
        ({ billerId, keys }) => respond(201, { biller_id: billerId, keys }),
        (error: unknown) => {
          if (error instanceof ValidationFailed) return respond(422, { error: error.message });
          if (error instanceof SyntaxError) return respond(400, { error: 'The body is not JSON.' });
          respond(503, { error: 'The database is not reachable.' });
        },
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

/** What the body asks for: `{"time_zone": …, "country": …}`, each of which may be left out, or nothing. */
async function optionsIn(request: IncomingMessage): Promise<AccountOptions> {
  const body = await text(request);
  const given = body === '' ? {} : JSON.parse(body);
  const member = (name: string) => (given?.[name] === undefined ? undefined : String(given[name]));
  return { timeZone: member('time_zone'), country: member('country') };
}

/** Compares in constant time. */
function isSame(given: string, expected: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest();
  return timingSafeEqual(digest(given), digest(expected));
}
