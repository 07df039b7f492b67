import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { rigKey } from '../../lab/stripe-rig/servers.ts';
import { setStatus, writeAccount } from '../../processors/stripe/accounts.ts';
import { account, sealingKeys, useStripe } from './support.ts';

interface Movement {
  kind: string;
  idempotency_key: string;
  reference: string;
  amount: number;
  currency: string;
  account: string;
}

describe('the movements of Stripe', function () {
  this.timeout(60_000);
  const stripe = useStripe();

  async function paid(token?: string) {
    const reserved = await stripe.reserved(token ?? (await stripe.card()));
    await stripe.call('/charges', { ...reserved.body, reference: reserved.reference }, reserved.key);
    return reserved;
  }
  async function list(after: string | null) {
    const { status, body } = await stripe.call('/movements', { after });
    assert.equal(status, 200, JSON.stringify(body));
    const all = body.movements as Movement[];
    // What Stripe's books have is another test's.
    const movements = all.filter(({ kind }) => kind === 'charge' || kind === 'refund');
    return { movements, cursor: String(body.cursor), hasMore: body.has_more };
  }
  const keysOf = ({ movements }: { movements: Movement[] }) => movements.map((each) => each.idempotency_key);

  it('begin at the present end, and have each charge and refund once, as soon as its answer is sent', async () => {
    await paid();
    const start = await list(null);
    assert.deepEqual(start.movements, []);
    const charged = await paid();
    const declined = await paid(await stripe.card('declined'));
    const refund = { payment_intent_id: 'pi_1', charge_reference: charged.reference, amount: 400, currency: 'AUD' };
    await stripe.call('/refunds', refund, 're_moved');
    const first = await list(start.cursor);
    assert.deepEqual(
      first.movements.map(({ kind, idempotency_key, reference, amount, currency, account }) => [
        ...[kind, idempotency_key, reference, amount, currency, account],
      ]),
      [
        ['charge', charged.key, charged.reference, 1018, 'AUD', account],
        ['refund', 're_moved', charged.reference, 400, 'AUD', account],
      ],
    );
    assert.ok(!keysOf(first).includes(declined.key));
    assert.deepEqual((await list(first.cursor)).movements, []);
    assert.deepEqual(keysOf(await list(start.cursor)), keysOf(first));
  });

  it('have what Stripe has done although this database has lost it', async () => {
    const { cursor } = await list(null);
    const { key } = await paid();
    await stripe.sql`delete from processor_stripe.movements where idempotency_key = ${key}`;
    assert.deepEqual(keysOf(await list(cursor)), [key]);
  });

  it('leave nothing out after the cursor of a database that was restored since', async () => {
    await list(null);
    const { key } = await paid();
    const { cursor } = await list(null);
    const later = await paid();
    await stripe.sql`delete from processor_stripe.movements`;
    const keys = keysOf(await list(cursor));
    assert.ok(keys.includes(later.key) && keys.includes(key));
  });

  it('of one account come although another account is refused or disabled', async () => {
    const { cursor } = await list(null);
    const other = { account: 'acct_other', livemode: false };
    await writeAccount(stripe.sql, sealingKeys, other, { key: rigKey, by: 'test' });
    await stripe.sql`update processor_stripe.accounts set sealed_key = '\\x00' where account = 'acct_other'`;
    const { key } = await paid();
    assert.deepEqual(keysOf(await list(cursor)), [key]);
    await setStatus(stripe.sql, other, 'disabled', null);
    assert.deepEqual((await list(cursor)).movements.length, 1);
  });

  it('of one account come in time although Stripe does not respond for another', async () => {
    const { cursor } = await list(null);
    const { key } = await paid();
    const slow = { account: 'acct_slow', livemode: false };
    await writeAccount(stripe.sql, sealingKeys, slow, { key: rigKey, by: 'test' });
    // Both lists are asked for by each account; one of the four calls hangs.
    stripe.rig.faults.plan('GET /v1/charges', { kind: 'delay', ms: 9_000 });
    const startedAt = performance.now();
    const { movements } = await list(cursor);
    assert.ok(performance.now() - startedAt < 8_000);
    const asked = stripe.rig.faults.calls.length;
    await list(cursor);
    const again = stripe.rig.faults.calls.slice(asked).filter((call) => call.startsWith('GET /v1/charges'));
    assert.equal(again.length, 1, 'the account whose reading goes on is not read a second time');
    assert.deepEqual(
      movements.map((each) => each.idempotency_key),
      [key],
    );
    await setStatus(stripe.sql, slow, 'disabled', null);
  });

  it('of the other mode are another list', async () => {
    const { cursor } = await list(null);
    await paid();
    const live = await stripe.call('/movements', { after: cursor, livemode: true });
    assert.deepEqual(live.body.movements, []);
  });

  it('come in pages, and the last says that no more follow', async () => {
    const { cursor } = await list(null);
    await stripe.sql`
      insert into processor_stripe.movements
      select (select max(serial) from processor_stripe.movements) + n, ${account}, false, 'charge', 'ch_page' || n,
        'att_page' || n, 'pi_page' || n, 'pi_1', 100, 'AUD', extract(epoch from now())::bigint
      from generate_series(1, 1100) n`;
    const seen: string[] = [];
    let page = await list(cursor);
    for (; page.hasMore; page = await list(page.cursor)) seen.push(...keysOf(page));
    seen.push(...keysOf(page));
    assert.equal(new Set(seen).size, 1100);
  });
});
