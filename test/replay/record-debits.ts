// Records the histories of bank debits, whose results come days later: npx mocha test/replay/record-debits.ts. See
// record.ts.
import { workflowIdOf } from '../../src/messages/workflow-types.ts';
import { useDebits } from '../support/debits.ts';
import { useService } from '../support/service.ts';
import { useRecorder } from './recorder.ts';

describe('recording histories of bank debits', function () {
  this.timeout(60_000);
  const service = useService({ isAlone: true });
  const { keep, signal, send } = useRecorder(service, (name) => name.startsWith('bank-debit-'));

  async function here() {
    const merchant = await service.merchant();
    const debits = useDebits({ merchant, request: merchant.request });
    return { merchant, debits, payer: await debits.payer() };
  }
  const workflowOf = async (intentId: string) => {
    const [row] = await service.db.sql<{ attempt_id: string }[]>`
      select attempt_id from bank_debits where payment_intent_id = ${intentId}`;
    return workflowIdOf('bankDebit', row?.attempt_id ?? '');
  };

  it('records a debit on a clock that settles and comes back, through several advances', async () => {
    const { merchant, debits, payer } = await here();
    const { id } = await debits.debit(payer, 'late_dishonour');
    for (const day of ['03-01', '03-02', '03-08']) await merchant.advance(payer.clock, `2027-${day}T23:00:00Z`);
    await keep('bank-debit-on-a-clock-settles-and-comes-back', await workflowOf(id));
  });

  it('records a debit in real time that is rechecked and canceled before its hand-over', async () => {
    const { merchant, debits } = await here();
    const customer = (await merchant.customer()).id;
    const account = await debits.account(customer);
    await debits.active({ payment_method_id: account });
    const { id } = await debits.debit({ customer, account });
    const workflowId = await workflowOf(id);
    await signal(workflowId, 'recheck');
    await send(workflowId, 'recheck');
    await merchant.client.paymentIntents.cancel(id);
    await keep('bank-debit-in-real-time-is-rechecked-and-canceled', workflowId);
  });

  it('records a plan on a clock whose debits are dishonoured, retried and come back after its total was collected', async () => {
    const { merchant, debits, payer } = await here();
    const { id } = await debits.plan(payer, 'dishonoured,late_dishonour,settled', { total_amount_cents: 1500 });
    await merchant.advance(payer.clock, '2027-03-14T00:00:00Z');
    await merchant.advance(payer.clock, '2027-03-28T00:00:00Z');
    await keep('bank-debit-of-a-plan-on-a-clock', workflowIdOf('paymentPlan', id));
  });
});
