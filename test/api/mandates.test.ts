import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { realNow } from '../../src/platform/real-time.ts';
import { useDebtor } from '../support/debtor.ts';
import { instantPattern, refusal, rowCounts, useStage } from '../support/stage.ts';

const frozen = '2027-01-29T00:00:00.000Z';

describe('creating a mandate', () => {
  const stage = useStage();
  const here = useDebtor(stage);

  it('is 201 with a pending mandate without an acceptance, and sends mandate.created', async () => {
    const customer = await stage.merchant.customer();
    const account = await here.account(customer.id);
    const { status, body } = await here.create({ payment_method_id: account });
    assert.equal(status, 201);
    const { id, reference, created_at, updated_at, ...rest } = body;
    assert.match(id, /^mdt_[0-9A-Za-z]{32}$/);
    assert.match(reference, /^DDR-[0-9A-Z]{14}$/);
    assert.match(created_at, instantPattern);
    assert.equal(updated_at, created_at);
    assert.deepEqual(rest, {
      customer_id: customer.id,
      payment_method_id: account,
      scheme: 'au_becs',
      status: 'pending',
      status_reason: null,
      cancellation_reason: null,
      acceptance: null,
      max_amount_cents: null,
      amount_type: 'variable',
      frequency_text: null,
      next_possible_charge_date: null,
      notices: [],
      last_debited_at: null,
      activated_at: null,
      ended_at: null,
      biller_id: stage.keys.biller.id,
      livemode: false,
      test_clock: null,
    });
    assert.deepEqual(await here.get(id), body);
    const [event, ...more] = await stage.merchant.events();
    assert.deepEqual([event?.event_type, event?.data, event?.test_clock, more], ['mandate.created', body, null, []]);
  });

  it('activates it at once with an acceptance, and sends mandate.created and then mandate.activated', async () => {
    const account = await here.account((await stage.merchant.customer()).id);
    const acceptance = await here.online({ accepted_at: '2026-01-02T03:04:05Z' });
    const { status, body } = await here.create({ payment_method_id: account, acceptance });
    assert.deepEqual([status, body.status, body.activated_at], [201, 'active', body.created_at]);
    assert.deepEqual(body.acceptance, { ...acceptance, accepted_at: '2026-01-02T03:04:05.000Z', connection: null });
    assert.match(body.next_possible_charge_date, /^\d{4}-\d{2}-\d{2}$/);
    const events = await stage.merchant.events();
    assert.deepEqual(
      events.map(({ event_type, data }) => [event_type, data]),
      [
        ['mandate.created', body],
        ['mandate.activated', body],
      ],
    );
  });

  it('keeps the terms that the payer was told', async () => {
    const terms = { max_amount_cents: 5000, amount_type: 'fixed', frequency_text: 'weekly, on Mondays' } as const;
    const mandate = await here.pending(terms);
    const { max_amount_cents, amount_type, frequency_text } = await here.get(mandate.id);
    assert.deepEqual({ max_amount_cents, amount_type, frequency_text }, terms);
  });

  it('attaches an account without a customer to the one that is named, and becomes its default', async () => {
    const { id: customer_id } = await stage.merchant.customer();
    const account = await here.account();
    const { status, body } = await here.create({ payment_method_id: account, customer_id });
    assert.deepEqual([status, body.customer_id], [201, customer_id]);
    const { body: customer } = await stage.request('GET', `/customers/${customer_id}`);
    assert.equal(customer.default_payment_method, account);
  });

  it('needs no address by paper, telephone or import, and no text by import', async () => {
    const { text_version, text_sha256 } = await here.online();
    const agreed = { accepted_at: '2026-01-02T03:04:05Z', signatory_name: 'Jo Nguyen' };
    const kinds = [
      { type: 'paper', text_version, text_sha256 },
      { type: 'telephone', text_version, text_sha256 },
      { type: 'imported' },
      { type: 'imported', text_version, text_sha256 },
    ] as const;
    for (const kind of kinds) {
      const { acceptance, status } = await here.pending({ acceptance: { ...agreed, ...kind } });
      assert.deepEqual(
        [status, acceptance],
        [
          'active',
          {
            connection: null,
            text_version: null,
            text_sha256: null,
            ...kind,
            ...agreed,
            accepted_at: '2026-01-02T03:04:05.000Z',
            ip_address: null,
            user_agent: null,
          },
        ],
      );
    }
  });

  it('takes IPv6 addresses, and refuses what is no address', async () => {
    const account = await here.account((await stage.merchant.customer()).id);
    for (const ip_address of ['localhost', '203.0.113', '203.0.113.7/24', '203.0.113.256', '2001:db8::zz', '']) {
      const reply = await here.create({ payment_method_id: account, acceptance: await here.online({ ip_address }) });
      assert.deepEqual(refusal(reply, 422), ['/acceptance/ip_address invalid_format'], ip_address);
      assert.match(reply.body.error.message, /IPv4 or IPv6 address/);
    }
    const mandate = await here.pending({ acceptance: await here.online({ ip_address: '2001:db8::7' }) });
    assert.equal(mandate.acceptance?.ip_address, '2001:db8::7');
  });

  it('is on the time of the customer’s clock, at which accepted_at is at most', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(frozen);
    const account = await here.account(payer.id);
    const ahead = {
      payment_method_id: account,
      acceptance: await here.online({ accepted_at: '2027-01-29T00:00:00.001Z' }),
    };
    const reply = await here.create(ahead);
    assert.deepEqual(refusal(reply, 422), ['/acceptance/accepted_at out_of_range']);
    assert.match(reply.body.error.message, /2027-01-29T00:00:00\.000Z/);
    const mandate = await here.active({ payment_method_id: account });
    const { test_clock, created_at, activated_at, acceptance, next_possible_charge_date } = mandate;
    assert.deepEqual(
      [test_clock, created_at, activated_at, acceptance?.accepted_at, next_possible_charge_date],
      [clock.id, frozen, frozen, frozen, '2027-01-29'],
    );
    await stage.merchant.beginAdvance(clock.id, '2027-01-30T00:00:00Z');
    refusal(await here.cancel(mandate.id), 422, 'test_clock_advancing');
    refusal(await here.create({ payment_method_id: account }), 422, 'test_clock_advancing');
  });

  it('shows the next possible charge date anew as the time of the clock goes on', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(frozen);
    const { id } = await here.active({ payment_method_id: await here.account(payer.id) });
    const dates = [];
    for (const now of ['2027-01-29T05:00:00Z', '2027-02-01T04:59:59Z', '2027-03-26T00:00:00Z']) {
      await stage.advance(clock.id, now);
      const [listed] = (await stage.request('GET', `/mandates?test_clock=${clock.id}`)).body.data;
      dates.push((await here.get(id)).next_possible_charge_date);
      assert.equal(listed.next_possible_charge_date, dates.at(-1));
    }
    assert.deepEqual(dates, ['2027-02-01', '2027-02-01', '2027-03-30']);
  });

  it('has no next possible charge date where the calendar has no days', async () => {
    for (const time of ['1999-01-01T00:00:00Z', '2100-01-01T00:00:00Z']) {
      const { clock, payer } = await stage.merchant.customerOnClock(time);
      const mandate = await here.active({ payment_method_id: await here.account(payer.id) });
      assert.deepEqual([mandate.status, mandate.next_possible_charge_date], ['active', null]);
      await stage.merchant.deleteClock(clock.id);
    }
  });
});

describe('a mandate that is refused', () => {
  const stage = useStage();
  const here = useDebtor(stage);

  it('is for a card, an instrument of another kind, or an account that is detached or has no customer', async () => {
    const customer = await stage.merchant.customer();
    const gone = await here.account(customer.id);
    await stage.merchant.detach(gone);
    const { body: paypal } = await stage.request('POST', '/test_helpers/payment_methods', {
      type: 'pay_id',
      instrument_data: { payid: 'jo@example.com', account_name: 'Jo' },
      customer_reference: customer.id,
    });
    const card = await stage.merchant.card(customer.id);
    const before = await rowCounts(stage);
    for (const [payment_method_id, code] of [
      [card, 'invalid_value'],
      [paypal.payment_method.id, 'invalid_value'],
      [gone, 'payment_method_detached'],
      ['pm_none', 'resource_missing'],
    ]) {
      const reply = await here.create({ payment_method_id, acceptance: await here.online() });
      assert.deepEqual(refusal(reply, 422), [`/payment_method_id ${code}`]);
    }
    assert.deepEqual(await rowCounts(stage), before);
  });

  it('is for an account of another customer, of a deleted one, or of none without a name', async () => {
    const [one, other] = [await stage.merchant.customer(), await stage.merchant.customer()];
    const account = await here.account(one.id);
    const create = async (body: object) => refusal(await here.create(body), 422);
    const wrong = { payment_method_id: account, customer_id: other.id };
    assert.deepEqual(await create(wrong), ['/payment_method_id payment_method_of_other_customer']);
    assert.deepEqual(await create({ payment_method_id: await here.account() }), ['/customer_id parameter_missing']);
    assert.deepEqual(await create({ payment_method_id: account, customer_id: 'cus_none' }), [
      '/customer_id resource_missing',
    ]);
    await stage.request('DELETE', `/customers/${one.id}`);
    assert.deepEqual(await create({ payment_method_id: account }), ['/payment_method_id customer_deleted']);
    assert.deepEqual(await create({ payment_method_id: account, customer_id: one.id }), [
      '/customer_id customer_deleted',
    ]);
  });

  it('is for an account that has one: mandate_exists, which names it, until that one has ended', async () => {
    const mandate = await here.pending();
    const second = { payment_method_id: mandate.payment_method_id };
    for (const acceptance of [undefined, await here.online()]) {
      const reply = await here.create({ ...second, acceptance });
      assert.deepEqual(refusal(reply, 422, 'mandate_exists'), []);
      assert.equal(reply.body.error.mandate_id, mandate.id);
      assert.ok(reply.body.error.message.includes(mandate.id));
    }
    await here.cancel(mandate.id);
    const next = await here.active(second);
    assert.notEqual(next.id, mandate.id);
    assert.equal((await here.create(second)).body.error.mandate_id, next.id);
  });

  it('is accepted with another text: mandate_text_unknown on its own, among others a fault like them', async () => {
    const account = await here.account((await stage.merchant.customer()).id);
    const { text_version, text_sha256 } = await here.online();
    for (const text of [{ text_sha256: '0'.repeat(64) }, { text_version: '1999-01' }]) {
      const acceptance = await here.online({ text_version, text_sha256, ...text });
      const reply = await here.create({ payment_method_id: account, acceptance });
      const faults = ['/acceptance/text_sha256 mandate_text_unknown'];
      assert.deepEqual(refusal(reply, 422, 'mandate_text_unknown'), faults);
      const ahead = { ...acceptance, accepted_at: '2199-01-01T00:00:00Z' };
      const both = await here.create({ payment_method_id: account, acceptance: ahead });
      assert.deepEqual(refusal(both, 422), ['/acceptance/accepted_at out_of_range', ...faults]);
    }
  });

  it('knows the text of its own biller only', async () => {
    const stranger = await stage.stranger();
    await stage.db.sql`update billers set name = 'Other Gym' where id = ${stranger.keys.biller.id}`;
    const theirs = await stranger.merchant.client.mandates.getText();
    const text = { text_version: theirs.version, text_sha256: theirs.sha256 };
    const account = await here.account((await stage.merchant.customer()).id);
    const reply = await here.create({ payment_method_id: account, acceptance: await here.online(text) });
    refusal(reply, 422, 'mandate_text_unknown');
  });

  const incomplete: [title: string, without: string[], more: object, faults: string[]][] = [
    ['online without address', ['ip_address'], {}, ['/ip_address']],
    ['online without browser', ['user_agent'], {}, ['/user_agent']],
    ['online without a text', ['text_version', 'text_sha256'], {}, ['/text_sha256', '/text_version']],
    ['on paper without a date', [], { type: 'paper' }, ['/accepted_at']],
    ['by telephone without a hash', ['text_sha256'], { type: 'telephone' }, ['/accepted_at', '/text_sha256']],
    ['imported without a date', [], { type: 'imported' }, ['/accepted_at']],
    ['imported with a hash alone', ['text_version'], { type: 'imported' }, ['/accepted_at', '/text_version']],
    ['without a name', ['signatory_name'], {}, ['/signatory_name']],
  ];
  for (const [title, without, more, faults] of incomplete) {
    it(`is accepted ${title}: every missing field is named, on creation and acceptance`, async () => {
      const mandate = await here.pending();
      const whole = Object.entries({ ...(await here.online()), ...more });
      const acceptance = Object.fromEntries(whole.filter(([name]) => !without.includes(name)));
      const missing = (path: string) => faults.map((fault) => `${path}${fault} parameter_missing`);
      assert.deepEqual(refusal(await here.accept(mandate.id, acceptance), 422), missing(''));
      const body = { payment_method_id: mandate.payment_method_id, acceptance };
      assert.deepEqual(refusal(await here.create(body), 422), missing('/acceptance'));
    });
  }
});

describe('accepting a mandate', () => {
  const stage = useStage();
  const here = useDebtor(stage);

  it('makes a pending one active at the time of the request, and sends mandate.activated', async () => {
    const { id, created_at } = await here.pending();
    const before = realNow();
    const { status, body } = await here.accept(id, await here.online({ accepted_at: '2026-01-02T03:04:05Z' }));
    assert.deepEqual([status, body.status, body.created_at], [200, 'active', created_at]);
    assert.ok(Date.parse(body.activated_at) >= before.getTime());
    assert.equal(body.acceptance.accepted_at, '2026-01-02T03:04:05.000Z');
    assert.deepEqual(await here.get(id), body);
    assert.deepEqual(await here.told(), ['mandate.created pending', 'mandate.activated active']);
  });

  it('is 422 invalid_state in every other status', async () => {
    const active = await here.active();
    const canceled = await here.pending();
    await here.cancel(canceled.id);
    for (const { id } of [active, canceled]) refusal(await here.accept(id, await here.online()), 422, 'invalid_state');
    assert.equal((await here.told()).length, 4);
  });

  it('refuses a date ahead and an unknown text', async () => {
    const { id } = await here.pending();
    const ahead = await here.accept(id, await here.online({ accepted_at: '2199-01-01T00:00:00Z' }));
    assert.deepEqual(refusal(ahead, 422), ['/accepted_at out_of_range']);
    const unknown = await here.accept(id, await here.online({ text_sha256: '1'.repeat(64) }));
    assert.deepEqual(refusal(unknown, 422, 'mandate_text_unknown'), ['/text_sha256 mandate_text_unknown']);
  });
});

describe('the end of a mandate by request', () => {
  const stage = useStage();
  const here = useDebtor(stage);

  it('is canceled by the biller, pending or active, with the biller’s words or without', async () => {
    for (const [mandate, reason] of [
      [await here.pending(), undefined],
      [await here.active(), 'Membership ended'],
    ] as const) {
      const { status, body } = await here.cancel(mandate.id, { reason });
      assert.equal(status, 200);
      const { ended_at, updated_at, ...rest } = body;
      assert.match(ended_at, instantPattern);
      assert.equal(updated_at, ended_at);
      const expected = { status: 'canceled', status_reason: 'requested', cancellation_reason: reason ?? null };
      const { ended_at: _, updated_at: __, ...before } = mandate;
      assert.deepEqual(rest, { ...before, ...expected, next_possible_charge_date: null });
      const [event] = (await stage.merchant.events({ event_type: 'mandate.canceled' })).slice(-1);
      assert.deepEqual(event?.data, body);
    }
  });

  it('is final: nothing more can be done with it, and nothing more is sent', async () => {
    const { id } = await here.active();
    await here.cancel(id);
    const ended = await here.get(id);
    refusal(await here.cancel(id), 422, 'invalid_state');
    refusal(await here.accept(id, await here.online()), 422, 'invalid_state');
    refusal(await here.payerCancels(id), 422, 'invalid_state');
    assert.deepEqual(await here.get(id), ended);
    assert.equal((await here.told()).length, 3);
  });

  it('is possible by the payer at the bank while active only, in the sandbox only', async () => {
    const [pending, active] = [await here.pending(), await here.active()];
    refusal(await here.payerCancels(pending.id), 422, 'invalid_state');
    const { status, body } = await here.payerCancels(active.id);
    assert.deepEqual(
      [status, body.status, body.status_reason, body.cancellation_reason],
      [200, 'canceled', 'payer_canceled', null],
    );
    assert.equal((await here.told()).at(-1), 'mandate.canceled canceled');
    const live = { key: stage.keys.liveSecret };
    const reply = await stage.api.send('POST', `/api/v1/test_helpers/mandates/${active.id}/payer_cancels`, live);
    assert.deepEqual([reply.status, reply.body.error.code], [403, 'sandbox_only']);
  });

  it('comes with the detachment of its account, in the same instant, once', async () => {
    const pending = await here.pending();
    const active = await here.active();
    for (const { id, payment_method_id } of [pending, active]) {
      await stage.merchant.detach(payment_method_id);
      await stage.merchant.detach(payment_method_id);
      const { status, status_reason } = await here.get(id);
      assert.deepEqual([status, status_reason], ['canceled', 'payment_method_detached']);
    }
    assert.deepEqual((await here.told()).slice(-2), ['mandate.canceled canceled', 'mandate.canceled canceled']);
    assert.equal((await here.told()).length, 5);
  });

  it('comes with the deletion of its customer, for each of its mandates that has not ended', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(frozen);
    const over = await here.active({ payment_method_id: await here.account(payer.id) });
    await here.cancel(over.id);
    const mandates = [
      await here.pending({ payment_method_id: await here.account(payer.id) }),
      await here.active({ payment_method_id: await here.account(payer.id) }),
    ];
    const other = await here.active();
    await stage.request('DELETE', `/customers/${payer.id}`);
    await stage.request('DELETE', `/customers/${payer.id}`);
    for (const { id } of mandates) {
      const { status, status_reason, ended_at } = await here.get(id);
      assert.deepEqual([status, status_reason, ended_at], ['canceled', 'customer_deleted', frozen]);
    }
    assert.equal((await here.get(over.id)).status_reason, 'requested');
    assert.equal((await here.get(other.id)).status, 'active');
    const canceled = await stage.merchant.events({ event_type: 'mandate.canceled' });
    assert.deepEqual(
      canceled.slice(1).map(({ data, test_clock }) => [data.id, test_clock]),
      mandates.map(({ id }) => [id, clock.id]),
    );
  });

  it('leaves nothing behind when its clock is deleted; its events stay', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(frozen);
    const mandate = await here.active({ payment_method_id: await here.account(payer.id) });
    await stage.merchant.deleteClock(clock.id);
    refusal(await stage.request('GET', `/mandates/${mandate.id}`), 404, 'resource_missing');
    const rows = await stage.db.sql`select 1 from mandates where id = ${mandate.id}`;
    assert.equal(rows.length, 0);
    assert.deepEqual(await here.told(), ['mandate.created active', 'mandate.activated active']);
  });
});

describe('the list of mandates', () => {
  const stage = useStage();
  const here = useDebtor(stage);

  it('is newest first, page by page, and filtered by customer, account, status and clock', async () => {
    const { clock, payer } = await stage.merchant.customerOnClock(frozen);
    const first = await here.active({ payment_method_id: await here.account(payer.id) });
    await here.cancel(first.id);
    const second = await here.active({ payment_method_id: first.payment_method_id });
    const third = await here.pending();
    const list = async (query: string) => {
      const { status, body } = await stage.request('GET', `/mandates?${query}`);
      assert.equal(status, 200);
      return [body.data.map(({ id }: { id: string }) => id), body.has_more];
    };
    assert.deepEqual(await list(''), [[third.id, second.id, first.id], false]);
    assert.deepEqual(await list('limit=2'), [[third.id, second.id], true]);
    assert.deepEqual(await list(`limit=2&starting_after=${second.id}`), [[first.id], false]);
    assert.deepEqual(await list(`customer_id=${payer.id}`), [[second.id, first.id], false]);
    assert.deepEqual(await list(`payment_method_id=${third.payment_method_id}`), [[third.id], false]);
    assert.deepEqual(await list('status=canceled'), [[first.id], false]);
    assert.deepEqual(await list(`test_clock=${clock.id}&status=active`), [[second.id], false]);
    assert.deepEqual(await list('customer_id=cus_none'), [[], false]);
    const wrong = await stage.request('GET', '/mandates?status=revoked');
    assert.deepEqual(refusal(wrong, 400), ['query/status invalid_value']);
  });

  it('shows each mandate as a fetch does', async () => {
    const { id } = await here.active();
    assert.deepEqual((await stage.request('GET', '/mandates')).body.data, [await here.get(id)]);
  });
});
