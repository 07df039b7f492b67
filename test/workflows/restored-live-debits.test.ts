import assert from 'node:assert/strict';
import type { CustomerInstant } from '../../src/domain/instants.ts';
import { releaseCharging } from '../../src/operations/live-charging.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { takeDebitStep } from '../../src/services/debits/debit-steps.ts';
import { ServiceError } from '../../src/services/errors.ts';
import { chargeHook } from '../../src/services/subjects/charge-hook.ts';
import { useDebits } from '../support/debits.ts';
import { tester } from '../support/factories.ts';
import { forgetful, useRestorable } from '../support/restored.ts';
import { stuckBySubject } from '../support/stuck.ts';

describe('a database restored from a back-up, beside bank debits that have gone on', function () {
  this.timeout(60_000);
  const here = useRestorable();
  const { service, compare, processors, takenFor } = here;

  /** A payment by a bank account under a mandate, and the steps of its debit, each when it is due. */
  async function debitOf(words: string) {
    const merchant = await service.liveMerchant();
    const debits = useDebits({ merchant, request: merchant.request });
    const customer = (await merchant.customer()).id;
    const account = await debits.account(customer);
    await debits.active({ payment_method_id: account });
    const metadata = { _sandbox_bank_outcome: words };
    const { id } = await merchant.intent({ customer_id: customer, payment_method: account, metadata });
    const row = async () => {
      const [debit] = await service.db.sql<
        { attempt_id: string; next_at: CustomerInstant | null; reference: string | null }[]
      >`
        select d.attempt_id, d.next_at, r.reference
        from bank_debits d left join payment_reservations r on r.attempt_id = d.attempt_id
        where d.payment_intent_id = ${id}`;
      return debit ?? null;
    };
    return {
      id,
      row,
      confirm: () => merchant.client.paymentIntents.confirm(id, {}),
      /** What the debit's workflow does when its next step is due. */
      async step(by = processors()): Promise<void> {
        const debit = await row();
        assert.ok(debit?.next_at, 'no step is due');
        await takeDebitStep(service.db.sql, { processors: by, hook: chargeHook }, debit.attempt_id, {
          at: debit.next_at,
          now: realNow(),
          maxAheadMs: Infinity,
        });
      },
      status: async () => (await merchant.getIntent(id)).status,
      told: async () =>
        (await merchant.events())
          .filter(({ data }) => data.id === id)
          .map(({ event_type: type }) => type.slice('payment_intent.'.length)),
      /** How often the processor was made to charge it. */
      charged: () => takenFor(id),
    };
  }

  it('do not hand a debit over a second time that the back-up only has as accepted', async () => {
    const debit = await debitOf('settled');
    await debit.confirm();
    await here.backUp();
    await debit.step();
    const reference = (await debit.row())?.reference;
    await here.restore();
    assert.equal((await debit.row())?.reference, null);
    assert.equal(await compare(), false, 'its attempt is known, so charging is not held');
    await service.standIn.setClimate(forgetful);
    await debit.step();
    assert.deepEqual([(await debit.row())?.reference, await debit.charged()], [reference, 1]);
    await debit.step();
    assert.deepEqual([await debit.status(), await debit.charged()], ['succeeded', 1]);
  });

  it('hold the hand-over of a debit that the back-up does not have, until an operator has looked', async () => {
    const debit = await debitOf('settled');
    await here.backUp();
    await debit.confirm();
    await debit.step();
    await here.restore();
    assert.deepEqual([await debit.status(), await compare()], ['requires_payment_method', true]);
    assert.ok((await stuckBySubject(service.db.sql, null)).charging_held);
    await service.standIn.setClimate(forgetful);
    await debit.confirm();
    await assert.rejects(debit.step(), (error: unknown) => error instanceof ServiceError && error.status === 503);
    assert.deepEqual([await debit.status(), await debit.charged()], ['processing', 1]);
    await releaseCharging(service.db.sql, 'the debit is known', { by: tester, now: realNow() });
    await debit.step();
    await debit.step();
    assert.deepEqual([await debit.status(), await debit.charged()], ['succeeded', 1]);
  });

  it('learn by its reference what a debit has come to that the back-up has at the bank: success, then return', async () => {
    const debit = await debitOf('late_dishonour');
    await debit.confirm();
    await debit.step();
    await here.backUp();
    for (let steps = 0; steps < 2; steps += 1) await debit.step();
    assert.equal(await debit.status(), 'returned');
    await here.restore();
    assert.equal(await debit.status(), 'processing');
    for (let steps = 0; steps < 2; steps += 1) await debit.step();
    assert.deepEqual(await debit.told(), ['processing', 'succeeded', 'returned']);
    assert.deepEqual([await debit.status(), await debit.charged()], ['returned', 1]);
  });

  it('hand a debit over once, and fail it for neither, when two workers take its step at the same time', async () => {
    const debit = await debitOf('settled');
    await debit.confirm();
    const { sandbox, live } = processors();
    assert.ok(live?.prepare);
    const { prepare } = live;
    let waiting = 2;
    let release = () => {};
    const bothReserved = new Promise<void>((resolve) => {
      release = resolve;
    });
    const held: typeof live = {
      ...live,
      async prepare(request) {
        const reserved = await prepare(request);
        waiting -= 1;
        if (waiting === 0) release();
        await bothReserved;
        return reserved;
      },
    };
    await Promise.all([1, 2].map(() => debit.step({ sandbox, live: held })));
    assert.deepEqual([await debit.status(), await debit.charged()], ['processing', 1]);
    await debit.step();
    assert.deepEqual([await debit.status(), await debit.charged()], ['succeeded', 1]);
  });
});
