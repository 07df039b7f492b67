import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { eventually } from '../../lab/eventually.ts';
import { type Ran, runScript } from '../../lab/run-program.ts';
import { dateIn } from '../../src/domain/calendar.ts';
import { withoutClock } from '../../src/domain/instants.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { listAudit } from '../../src/services/accounts/audit.ts';
import { useService } from '../support/service.ts';

/** The processor has made the charge, its answer is lost, and it says nothing when it is asked. */
const silent = { _stand_in: 'answer_lost', _stand_in_inquire: Array(40).fill('error_500').join(',') };
/** It has not made the charge. */
const refusing = { _stand_in: 'reset_before' };

describe('an attempt that an operator settles', function () {
  this.timeout(120_000); // each run loads the program anew
  const service = useService({ live: true });

  const settle = (attemptId: string, ...words: string[]): Promise<Ran> =>
    runScript('src/processes/cli/main.ts', ['ops', 'settle', attemptId, ...words], {
      DATABASE_URL: service.db.url,
      ...service.standIn.environment,
    });
  const attemptOf = async (intentId: string) => {
    const [row] = await service.db.sql<{ id: string; outcome: string; code: string | null }[]>`
      select id, outcome, code from payment_attempts where payment_intent_id = ${intentId} order by number desc limit 1`;
    assert.ok(row);
    return row;
  };
  const isCanceled = async (intentId: string) =>
    (await service.standIn.calls()).some((call) => call.kind === 'cancel' && call.payment_intent_id === intentId);

  /** A payment whose confirm has given no outcome. */
  async function openPayment(metadata: Record<string, string>) {
    const merchant = await service.liveMerchant();
    const payer = await merchant.customer();
    const { id } = await merchant.intent({
      customer_id: payer.id,
      payment_method: await merchant.card(payer.id),
      metadata,
    });
    await assert.rejects(merchant.client.paymentIntents.confirm(id), /The payment stays processing/);
    return { merchant, id, attempt: await attemptOf(id) };
  }

  it('as succeeded is recorded once, with its event, and the evidence in the audit log', async () => {
    const { merchant, id, attempt } = await openPayment(silent);
    const { code, stdout, stderr } = await settle(attempt.id, '--as', 'succeeded', '--evidence', 'statement of 3 May');
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(stdout, `Attempt ${attempt.id} of ${id} is recorded as succeeded; the payment is succeeded.\n`);
    assert.equal((await merchant.getIntent(id)).status, 'succeeded');
    const events = await merchant.events({ event_type: 'payment_intent.succeeded' });
    assert.equal(events.filter(({ data }) => data.id === id).length, 1);
    const [entry] = await listAudit(service.db.sql, { limit: 1 });
    assert.deepEqual(
      [entry?.action, entry?.subject_id, entry?.actor, entry?.livemode, entry?.changes],
      [
        'payment_attempt.settled',
        attempt.id,
        { kind: 'command_line', id: userInfo().username },
        true,
        { outcome: { from: 'processing', to: 'succeeded' }, evidence: { from: null, to: 'statement of 3 May' } },
      ],
    );
    const again = await settle(attempt.id, '--as', 'failed', '--evidence', 'a second thought');
    assert.deepEqual([again.code, again.stdout], [2, '']);
    assert.match(again.stderr, new RegExp(`nothing to settle: attempt ${attempt.id} is succeeded`));
  });

  it('as failed is canceled at the processor first, and its payment has then failed', async () => {
    const { merchant, id, attempt } = await openPayment(refusing);
    const { code } = await settle(attempt.id, '--as', 'failed', '--evidence', 'their support says so');
    assert.deepEqual([code, await isCanceled(id)], [0, true]);
    assert.deepEqual(await attemptOf(id), { id: attempt.id, outcome: 'failed', code: 'gateway_timeout' });
    assert.equal((await merchant.getIntent(id)).status, 'failed');
  });

  for (const [state, metadata, as] of [
    ['succeeded', { _stand_in: 'answer_lost', _stand_in_inquire: 'answer_lost' }, 'failed'],
    ['not_charged', refusing, 'succeeded'],
  ] as const) {
    it(`as ${as} is refused when the processor says that it is ${state}`, async () => {
      const { id, attempt } = await openPayment(metadata);
      const { code, stderr } = await settle(attempt.id, '--as', as, '--evidence', 'hearsay');
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`The processor responds, and says: ${state}`));
      assert.deepEqual([(await attemptOf(id)).outcome, await isCanceled(id)], ['processing', false]);
    });
  }

  it('frees the workflow of its plan, which goes on with the calendar', async () => {
    const merchant = await service.liveMerchant();
    const { id } = await merchant.activePlan({ start_date: dateIn(withoutClock(realNow()), 'UTC'), metadata: silent });
    const intentId = await eventually('its payment is open', async () => {
      const intent = (await merchant.payments(id))[0]?.payment_intent_id;
      const calls = await service.standIn.calls();
      return calls.some((call) => call.kind === 'charge' && call.payment_intent_id === intent) && intent;
    });
    const attempt = await attemptOf(intentId);
    const { code } = await settle(attempt.id, '--as', 'succeeded', '--evidence', 'seen in their dashboard');
    assert.equal(code, 0);
    assert.equal((await merchant.payments(id))[0]?.status, 'paid');
    assert.equal((await merchant.getPlan(id)).collected_amount_cents, (await merchant.payments(id))[0]?.amount);
  });
});
