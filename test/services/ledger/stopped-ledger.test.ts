import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { addMs } from '../../../src/domain/instants.ts';
import { ledgerStopped } from '../../../src/operations/stuck/kinds/ledger.ts';
import { findKind } from '../../../src/operations/stuck/reading/find-stuck.ts';
import { realNow } from '../../../src/platform/real-time.ts';
import { followLedgers } from '../../../src/services/ledger/follower.ts';
import { useStage } from '../../support/stage.ts';

describe('an event that cannot be posted to the ledger', () => {
  const stage = useStage({ isDamaged: true });

  it('holds up no clock of its biller; it is named as stuck, and the rest follows once it is restored', async () => {
    const { sql } = stage.db;
    const billerId = stage.keys.biller.id;
    const { clock, payer } = await stage.merchant.customerOnClock('2027-03-01T10:00:00Z');
    const { id } = await stage.merchant.intent({ amount: 10_000, customer_id: payer.id });
    const payment_method = await stage.merchant.card(payer.id);
    await stage.request('POST', `/payment_intents/${id}/confirm`, { payment_method });
    const [event] = await sql`
      update events set data = '{}' where subject_id = ${id} and event_type = 'payment_intent.succeeded' returning id`;
    await stage.advance(clock.id, '2027-03-05T00:00:00Z');
    const status = async () => (await stage.request('GET', `/test_helpers/test_clocks/${clock.id}`)).body.status;
    assert.equal(await status(), 'ready');

    const stuck = async () => (await findKind(sql, ledgerStopped, addMs(realNow(), 60_000))).found;
    const [found, ...others] = await stuck();
    assert.deepEqual(others, []);
    assert.equal(found?.subject_id, billerId);
    assert.match(
      found?.why ?? '',
      new RegExp(`posted up to event \\d+: event ${event?.id} .* does not say what it moves`),
    );
    await assert.rejects(followLedgers(sql, new AbortController().signal), AggregateError);

    await sql`
      update events set data = jsonb_build_object('total_amount', 10000, 'fee_amount', 205, 'currency', 'AUD')
      where id = ${event?.id}`;
    await followLedgers(sql, new AbortController().signal);
    assert.deepEqual(await stuck(), []);
    // What it says is paid out by the next advance, although the day has passed.
    await stage.advance(clock.id, '2027-03-08T10:00:00Z');
    const { data } = (await stage.request('GET', `/payouts?test_clock=${clock.id}`)).body;
    assert.deepEqual(
      data.map(({ amount, status }: { amount: number; status: string }) => [amount, status]),
      [[9_795, 'paid']],
    );
  });
});
