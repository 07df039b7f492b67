// Stripe's balance transactions and payouts: a double of ours over the charges and refunds of the servers behind it,
// with the shapes of Stripe's OpenAPI document. It shows how we read Stripe's pages, and no more.

import { randomBytes } from 'node:crypto';
import { type LoopbackServer, serveOnLoopback } from '../loopback-server.ts';
import { type Answer, ask, json, type Request } from './exchange.ts';
import { type Listed, listOf } from './lists.ts';
import { rigKey } from './servers.ts';

/** What Stripe does with the money of an account. */
export interface Books extends LoopbackServer {
  /** Pays out all that is in no payout, by an account of this key. Returns the payout. */
  payOut(ofKey?: string): Promise<RigPayout>;
  /** What becomes of a payout. One that fails comes back, with the next payout. */
  end(payout: string, status: 'paid' | 'failed'): void;
  /** Changes the balance of an account for a reason of Stripe's own; `type` as Stripe has it. */
  change(of: { type: string; amount: number; fee?: number; description?: string }, ofKey?: string): void;
  /** The fee of a charge of this amount, minor units. */
  feeOf(amount: number): number;
}

type Json = Record<string, unknown>;

interface RigPayout extends Json {
  id: string;
  amount: number;
  status: string;
}

type Row = Listed & { amount: number; fee: number; net: number; currency: string };

const daySeconds = 86_400;
const nowInSeconds = () => Math.floor(Date.now() / 1000);
const idOf = (kind: string) => `${kind}_${randomBytes(12).toString('hex')}`;
const feeOf = (amount: number) => Math.round(amount * 0.017) + 30;

/** Opens a server in front of the one at `target`. */
export async function openBooks(target: string): Promise<Books> {
  const payouts = new Map<string, RigPayout>();
  /** By the id of a balance transaction. */
  const paidBy = new Map<string, string>();
  /** What Stripe has done on its own, by key. */
  const changes = new Map<string, Row[]>();
  const changesOf = (key: string) => {
    const own = changes.get(key) ?? [];
    changes.set(key, own);
    return own;
  };

  async function all(kind: 'charges' | 'refunds', key: string): Promise<Json[]> {
    const found = new Map<unknown, Json>();
    for (let after = ''; ; ) {
      const path = `/v1/${kind}?limit=100${after}`;
      const headers = { authorization: `Bearer ${key}` };
      const page = JSON.parse((await ask(target, { method: 'GET', path, headers, body: '' })).body) as {
        data: Json[];
        has_more: boolean;
      };
      for (const each of page.data) found.set(each.id, each);
      const last = page.data.at(-1);
      if (!page.has_more || last === undefined) return [...found.values()];
      after = `&starting_after=${last.id}`;
    }
  }

  async function rowsOf(key: string): Promise<Row[]> {
    const charges = (await all('charges', key)).filter(({ status }) => status === 'succeeded');
    const refunds = (await all('refunds', key)).filter(({ status }) => status === 'succeeded');
    const ofCharges = charges.map((charge) => {
      return rowOf({
        type: 'charge',
        source: charge,
        amount: Number(charge.amount),
        fee: feeOf(Number(charge.amount)),
      });
    });
    const ofRefunds = refunds.map((refund) =>
      rowOf({ type: 'refund', source: refund, amount: 0 - Number(refund.amount) }),
    );
    return [...ofCharges, ...ofRefunds, ...changesOf(key)];
  }

  async function answerTo(received: Request): Promise<Answer> {
    const url = new URL(received.path, target);
    const key = received.headers.authorization?.replace('Bearer ', '') ?? '';
    if (received.method === 'GET' && url.pathname === '/v1/balance_transactions') {
      const rows = await rowsOf(key);
      const payout = url.searchParams.get('payout');
      const shown = rows.filter(({ id }) => payout === null || paidBy.get(id) === payout);
      const page = listOf(shown, url.searchParams);
      if ('refused' in page) return json(400, { error: { type: 'invalid_request_error', ...page.refused } });
      const isExpanded = url.searchParams.get('expand[0]') === 'data.source';
      const data = page.data.map((row) => (isExpanded ? row : { ...row, source: (row.source as Json | null)?.id }));
      return json(200, { object: 'list', url: url.pathname, has_more: page.has_more, data });
    }
    const payout = /^\/v1\/payouts\/(\w+)$/.exec(url.pathname)?.[1];
    if (payout !== undefined && received.method === 'GET') {
      const found = payouts.get(payout);
      const error = { type: 'invalid_request_error', code: 'resource_missing', message: `No such payout: ${payout}` };
      return found === undefined ? json(404, { error }) : json(200, found);
    }
    return ask(target, received);
  }

  const server = await serveOnLoopback(async (received, response) => {
    const { status, headers, body } = await answerTo(received);
    response.writeHead(status, headers).end(body);
  });

  return {
    url: server.url,
    get connections() {
      return server.connections;
    },
    cut: () => server.cut(),
    close: () => server.close(),
    feeOf,
    async payOut(ofKey = rigKey) {
      const rows = (await rowsOf(ofKey)).filter(({ id }) => !paidBy.has(id));
      const amount = rows.reduce((sum, { net }) => sum + net, 0);
      const currency = rows[0]?.currency ?? 'aud';
      const payout: RigPayout = {
        ...{ id: idOf('po'), object: 'payout', amount, currency, status: 'in_transit', automatic: true },
        ...{ created: nowInSeconds(), arrival_date: nowInSeconds() + daySeconds, failure_code: null, livemode: false },
        ...{ reconciliation_status: 'completed', type: 'bank_account', method: 'standard', metadata: {} },
      };
      payouts.set(payout.id, payout);
      for (const { id } of rows) paidBy.set(id, payout.id);
      const own = rowOf({ type: 'payout', source: payout, amount: 0 - amount, currency });
      paidBy.set(own.id, payout.id);
      changesOf(ofKey).push(own);
      return payout;
    },
    end(id, status) {
      const payout = payouts.get(id);
      if (payout === undefined) throw new Error(`${id} is no payout`);
      Object.assign(payout, { status, failure_code: status === 'failed' ? 'account_closed' : null });
      const [key = rigKey] = [...changes].find(([, rows]) => rows.some(({ source }) => source === payout)) ?? [];
      if (status === 'failed') {
        changesOf(key).push(rowOf({ type: 'payout_failure', source: payout, amount: payout.amount }));
      }
    },
    change(of, ofKey = rigKey) {
      changesOf(ofKey).push(rowOf({ ...of, source: null }));
    },
  };
}

function rowOf(of: {
  type: string;
  source: Json | null;
  amount: number;
  fee?: number;
  currency?: string;
  description?: string;
}): Row {
  const { type, source, amount, fee = 0, description = null } = of;
  const created = type === 'payout_failure' || source === null ? nowInSeconds() : Number(source.created);
  const id = source === null || type === 'payout_failure' ? idOf('txn') : `txn_${source.id}`;
  return {
    ...{ id, object: 'balance_transaction', type, reporting_category: type, source, amount, fee, net: amount - fee },
    ...{ currency: of.currency ?? String(source?.currency ?? 'aud'), created, available_on: created + 2 * daySeconds },
    ...{ description, fee_details: [], exchange_rate: null, status: 'pending' },
  };
}
