import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { findViolations } from '../../src/operations/invariants/invariants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { useDebits } from '../support/debits.ts';
import { useSkippedTime } from '../support/skipped-time.ts';

describe('a bank debit in live mode, on days that are skipped', () => {
  const { service, pass, until } = useSkippedTime({ live: true });

  it('is handed to the live processor at its cut-off, once, and asked about until nothing more can come back', async () => {
    const merchant = await service.liveMerchant();
    const debits = useDebits({ merchant, request: merchant.request });
    const customer = (await merchant.customer()).id;
    const account = await debits.account(customer);
    await debits.active({ payment_method_id: account });
    const { id, livemode } = await debits.debit({ customer, account }, 'late_dishonour');
    const plan = await debits.plan({ customer }, 'dishonoured,settled', {
      start_date: dateIn(withoutClock(realNow()), 'UTC'),
      total_amount_cents: 1000,
    });
    const made = async () => (await service.standIn.calls()).filter(({ kind }) => kind === 'charge');
    assert.deepEqual([livemode, await made()], [true, []]);
    const [row] = await service.db.sql<{ attempt_id: string }[]>`
      select attempt_id from bank_debits where payment_intent_id = ${id}`;
    await until('RUNNING', workflowIdOf('bankDebit', row?.attempt_id ?? ''));
    await pass(40);
    await until('COMPLETED', workflowIdOf('bankDebit', row?.attempt_id ?? ''));
    await until('COMPLETED', workflowIdOf('paymentPlan', plan.id));
    assert.equal((await merchant.getIntent(id)).status, 'returned');
    assert.equal((await merchant.getPlan(plan.id)).collected_amount_cents, 1000);
    const charges = await made();
    assert.equal(charges.length, 3);
    assert.equal(new Set(charges.map((call) => call.idempotency_key)).size, 3);
    assert.deepEqual(await findViolations(service.db.sql), []);
  });
});
