import assert from 'node:assert/strict';
import { describe } from 'mocha';
import { useLives } from './lives.ts';

describe('a payment link beside another capability', () => {
  const lived = useLives();
  const terms = { expires_at: '2027-02-05T00:00:00Z' };

  lived('link + link: one is paid and the other expires, which takes money again once it is renewed', async (life) => {
    const customer_id = await life.payer();
    const paid = await life.link({ ...terms, name: 'paid', customer_id });
    const unpaid = await life.link({ ...terms, name: 'unpaid', customer_id, amount: 900 });
    await life.to('2027-02-03');
    assert.equal(await life.opens(paid, {}, 'first'), 'completed');
    await life.to('2027-02-08');
    assert.equal(await life.opens(unpaid), 'ended expired time');
    await life.does('payment_links', unpaid, 'renew', { expires_at: '2027-02-12T00:00:00Z' });
    await life.to('2027-02-11');
    assert.equal(await life.opens(unpaid, {}, 'second'), 'completed');
    await life.to('2027-02-20');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_link.created paid 0',
      '2027-02-01 00:00 payment_link.created unpaid 0',
      '2027-02-03 00:00 payment_intent.succeeded paid 2500',
      '2027-02-03 00:00 payment_link.paid paid 2500',
      '2027-02-03 00:00 payment_link.completed paid 2500',
      '2027-02-03 00:00 checkout_session.completed first',
      '2027-02-05 00:00 payment_link.expired unpaid time 0',
      '2027-02-08 00:00 payment_link.renewed unpaid 0',
      '2027-02-11 00:00 payment_intent.succeeded unpaid 900',
      '2027-02-11 00:00 payment_link.paid unpaid 900',
      '2027-02-11 00:00 payment_link.completed unpaid 900',
      '2027-02-11 00:00 checkout_session.completed second',
    ]);
    const fields = ['status', 'payments_count', 'collected_amount'];
    assert.deepEqual(await life.shows('payment_links', paid, ...fields), ['completed', 1, 2500]);
    assert.deepEqual(await life.shows('payment_links', unpaid, ...fields), ['completed', 1, 900]);
    assert.equal(await life.money(customer_id), 'charged 3400 held 3400');
  });

  lived('link + session: a challenge that the payer leaves ends, and the next session pays the link', async (life) => {
    const customer_id = await life.payer();
    const link = await life.link({ ...terms, name: 'link', customer_id });
    await life.to('2027-02-02');
    const left = await life.opens(link, life.byCard('tok_sandbox_visa_3ds_required'), 'first');
    assert.equal(left, 'challenge');
    await life.to('2027-02-04');
    assert.equal(await life.opens(link, {}, 'second'), 'completed');
    await life.to('2027-02-10');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_link.created link 0',
      '2027-02-02 00:00 payment_intent.requires_action link 2500',
      '2027-02-02 00:15 payment_intent.failed link 2500 authentication_required',
      '2027-02-03 00:00 checkout_session.expired first time',
      '2027-02-04 00:00 payment_intent.succeeded link 2500',
      '2027-02-04 00:00 payment_link.paid link 2500',
      '2027-02-04 00:00 payment_link.completed link 2500',
      '2027-02-04 00:00 checkout_session.completed second',
    ]);
    const fields = ['status', 'payments_count', 'collected_amount'];
    assert.deepEqual(await life.shows('payment_links', link, ...fields), ['completed', 1, 2500]);
    assert.equal(await life.money(customer_id), 'charged 2500 held 2500');
  });

  lived(
    'link + mandate: a debit that waits falls with its mandate, one that the bank has pays its link',
    async (life) => {
      const { customer: customer_id, account, mandate } = await life.debtor();
      const offer = { ...terms, customer_id, payment_method_types: ['au_becs_debit' as const] };
      const handed = await life.link({ ...offer, name: 'handed over' });
      const waiting = await life.link({ ...offer, name: 'waiting' });
      await life.to('2027-02-03');
      assert.equal(await life.opens(handed, life.byAccount(account), 'first'), 'processing');
      await life.to('2027-02-04');
      assert.equal(await life.opens(waiting, life.byAccount(account), 'second'), 'processing');
      await life.to('2027-02-04T04:59:59.999Z');
      await life.does('mandates', mandate, 'cancel');
      await life.to('2027-02-12');
      assert.deepEqual(await life.story(), [
        '2027-02-01 00:00 mandate.created mandate',
        '2027-02-01 00:00 mandate.activated mandate',
        '2027-02-01 00:00 payment_link.created handed over 0',
        '2027-02-01 00:00 payment_link.created waiting 0',
        '2027-02-03 00:00 payment_intent.processing handed over 2500',
        '2027-02-04 00:00 payment_intent.processing waiting 2500',
        '2027-02-04 04:59 mandate.canceled mandate requested',
        '2027-02-04 04:59 payment_intent.failed waiting 2500 mandate_unavailable',
        '2027-02-04 22:00 payment_intent.succeeded handed over 2500',
        '2027-02-04 22:00 payment_link.paid handed over 2500',
        '2027-02-04 22:00 payment_link.completed handed over 2500',
        '2027-02-04 22:00 checkout_session.completed first',
        '2027-02-05 00:00 payment_link.expired waiting time 0',
        '2027-02-05 00:00 checkout_session.expired second link_expired',
      ]);
      const fields = ['status', 'payments_count', 'collected_amount'];
      assert.deepEqual(await life.shows('payment_links', handed, ...fields), ['completed', 1, 2500]);
      assert.deepEqual(await life.shows('payment_links', waiting, ...fields), ['expired', 0, 0]);
      assert.equal(await life.money(customer_id), 'charged 2500 held 2500');
    },
  );

  lived('link + refund: a payment that was given back leaves the link completed', async (life) => {
    const customer_id = await life.payer();
    const link = await life.link({ ...terms, name: 'link', customer_id, max_payments: 2 });
    await life.to('2027-02-02');
    assert.equal(await life.opens(link, {}, 'first'), 'completed');
    const { data } = await life.ask('GET', `/payment_links/${link}/payments`);
    await life.refunds(data[0].id, 2500);
    await life.to('2027-02-03');
    assert.equal(await life.opens(link, {}, 'second'), 'completed');
    await life.to('2027-02-10');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 payment_link.created link 0',
      '2027-02-02 00:00 payment_intent.succeeded link 2500',
      '2027-02-02 00:00 payment_link.paid link 2500',
      '2027-02-02 00:00 checkout_session.completed first',
      '2027-02-02 00:00 refund.succeeded refund 2500',
      '2027-02-03 00:00 payment_intent.succeeded link 2500',
      '2027-02-03 00:00 payment_link.paid link 5000',
      '2027-02-03 00:00 payment_link.completed link 5000',
      '2027-02-03 00:00 checkout_session.completed second',
    ]);
    const fields = ['status', 'payments_count', 'collected_amount'];
    assert.deepEqual(await life.shows('payment_links', link, ...fields), ['completed', 2, 5000]);
    assert.equal(await life.money(customer_id), 'charged 5000 refunded 2500 held 2500');
  });

  lived(
    'link + return: a debit begun in time completes the link after its end, then comes back after it',
    async (life) => {
      const { customer: customer_id, account } = await life.debtor();
      const link = await life.link({
        ...{ ...terms, name: 'link', customer_id, payment_method_types: ['au_becs_debit'] },
        metadata: { _sandbox_bank_outcome: 'late_dishonour' },
      });
      await life.to('2027-02-04');
      assert.equal(await life.opens(link, life.byAccount(account)), 'processing');
      await life.to('2027-03-10');
      assert.deepEqual(await life.story(), [
        '2027-02-01 00:00 mandate.created mandate',
        '2027-02-01 00:00 mandate.activated mandate',
        '2027-02-01 00:00 payment_link.created link 0',
        '2027-02-04 00:00 payment_intent.processing link 2500',
        '2027-02-07 22:00 payment_intent.succeeded link 2500',
        '2027-02-07 22:00 payment_link.paid link 2500',
        '2027-02-07 22:00 payment_link.completed link 2500',
        '2027-02-07 22:00 checkout_session.completed sitting',
        '2027-02-10 22:00 payment_intent.returned link 2500 insufficient_funds',
        '2027-02-10 22:00 payment_link.expired link payment_returned 0',
      ]);
      const fields = ['status', 'status_reason', 'payments_count', 'collected_amount'];
      assert.deepEqual(await life.shows('payment_links', link, ...fields), ['expired', 'payment_returned', 0, 0]);
      assert.equal(await life.money(customer_id), 'charged 2500 returned 2500 held 0');
    },
  );

  lived(
    'link + return: a debit that comes back opens the link again until its end, or a card pays it',
    async (life) => {
      const { customer: customer_id, account } = await life.debtor();
      const offer = {
        ...{
          expires_at: '2027-02-15T00:00:00Z',
          customer_id,
          payment_method_types: ['card', 'au_becs_debit'] as const,
        },
        metadata: { _sandbox_bank_outcome: 'late_dishonour' },
      };
      const unpaid = await life.link({
        ...offer,
        payment_method_types: [...offer.payment_method_types],
        name: 'unpaid',
      });
      const again = await life.link({ ...offer, payment_method_types: [...offer.payment_method_types], name: 'again' });
      await life.to('2027-02-02');
      for (const link of [unpaid, again]) assert.equal(await life.opens(link, life.byAccount(account)), 'processing');
      await life.to('2027-02-12');
      assert.equal(await life.opens(again, {}, 'second'), 'completed');
      await life.to('2027-03-10');
      const story = await life.story();
      assert.deepEqual(
        story.filter((line) => line.includes('payment_link')),
        [
          '2027-02-01 00:00 payment_link.created unpaid 0',
          '2027-02-01 00:00 payment_link.created again 0',
          '2027-02-03 22:00 payment_link.paid unpaid 2500',
          '2027-02-03 22:00 payment_link.completed unpaid 2500',
          '2027-02-03 22:00 payment_link.paid again 2500',
          '2027-02-03 22:00 payment_link.completed again 2500',
          '2027-02-08 22:00 payment_link.reopened unpaid 0',
          '2027-02-08 22:00 payment_link.reopened again 0',
          '2027-02-12 00:00 payment_link.paid again 2500',
          '2027-02-12 00:00 payment_link.completed again 2500',
          '2027-02-15 00:00 payment_link.expired unpaid time 0',
        ],
      );
      const fields = ['status', 'payments_count', 'collected_amount'];
      assert.deepEqual(await life.shows('payment_links', unpaid, ...fields), ['expired', 0, 0]);
      assert.deepEqual(await life.shows('payment_links', again, ...fields), ['completed', 1, 2500]);
      assert.equal(await life.money(customer_id), 'charged 7500 returned 5000 held 2500');
    },
  );

  lived('link + deletion: an open link ends with its customer, a debit that the bank has is counted', async (life) => {
    const { customer: customer_id, account } = await life.debtor();
    const handed = await life.link({ ...terms, name: 'paid', customer_id, payment_method_types: ['au_becs_debit'] });
    const open = await life.link({ ...terms, name: 'open', customer_id });
    await life.to('2027-02-02');
    assert.equal(await life.opens(handed, life.byAccount(account)), 'processing');
    await life.to('2027-02-03');
    await life.deletes(customer_id);
    assert.equal(await life.opens(open), 'ended deactivated customer_deleted');
    await life.to('2027-02-12');
    assert.deepEqual(await life.story(), [
      '2027-02-01 00:00 mandate.created mandate',
      '2027-02-01 00:00 mandate.activated mandate',
      '2027-02-01 00:00 payment_link.created paid 0',
      '2027-02-01 00:00 payment_link.created open 0',
      '2027-02-02 00:00 payment_intent.processing paid 2500',
      '2027-02-03 00:00 payment_link.deactivated paid customer_deleted 0',
      '2027-02-03 00:00 payment_link.deactivated open customer_deleted 0',
      '2027-02-03 00:00 mandate.canceled mandate customer_deleted',
      '2027-02-03 22:00 payment_intent.succeeded paid 2500',
      '2027-02-03 22:00 payment_link.paid paid customer_deleted 2500',
      '2027-02-03 22:00 checkout_session.completed sitting',
    ]);
    const fields = ['status', 'status_reason', 'payments_count', 'collected_amount'];
    assert.deepEqual(await life.shows('payment_links', handed, ...fields), [
      'deactivated',
      'customer_deleted',
      1,
      2500,
    ]);
    assert.deepEqual(await life.shows('payment_links', open, ...fields), ['deactivated', 'customer_deleted', 0, 0]);
    assert.equal(await life.money(customer_id), 'charged 2500 held 2500');
  });
});
