import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { type Sandbox, startSandbox } from '@payments-service/sandbox';
import { Gym } from './gym.ts';

const good = 'tok_sandbox_visa_succeed';
const empty = 'tok_sandbox_visa_decline_insufficient_funds';

/** What each member pays in each month, in dollars, worked out by hand. Membership 49, joining fee 25. */
const table: Record<string, Record<string, number>> = {
  '2028-01': { Ada: 49.5, Grace: 74, Linus: 74 }, // Ada pays half of two months
  '2028-02': { Ada: 24.5, Grace: 169, Linus: 49 }, // Grace has booked a course, of 120 three times
  '2028-03': { Ada: 49, Grace: 169, Linus: 49 },
  '2028-04': { Ada: 49, Grace: 169, Linus: 55 }, // Grace was declined for a day; Linus had towels
  '2028-05': { Ada: 49, Grace: 49, Linus: 64.48 }, // Linus: 16 of 31 days of Gold are 40.77, less 25.29
  '2028-06': { Ada: 0, Grace: 49, Linus: 79 }, // Ada is away
  '2028-07': { Ada: 0, Grace: 49, Linus: 79 },
  '2028-08': { Ada: 49, Grace: 49, Linus: 79 },
  '2028-09': { Ada: 49, Grace: 49, Linus: 79 }, // the card of Linus was empty; he paid for the month on the 20th
  '2028-10': { Ada: 49, Grace: 49, Linus: 79 },
  '2028-11': { Ada: 49, Grace: 49, Linus: 79 },
  '2028-12': { Ada: 0, Grace: 49, Linus: 79 }, // Ada has left
};

let sandbox: Sandbox;
before(async () => {
  sandbox = await startSandbox();
});
after(() => sandbox.stop());

it('is paid as the table says in each month of a year, and opens its door to those who have paid', async () => {
  const webhooks = await sandbox.webhooks('payment_intent.*', 'subscription.*');
  const clock = await sandbox.clock({ at: '2028-01-10T00:00:00Z' });
  const gym = new Gym(sandbox.payments);
  /** Lets time pass. Every webhook of that time has come when it returns. */
  const to = async (date: string) => {
    await clock.advance(`${date}T00:00:00Z`);
    for (const event of webhooks.events) gym.handle(event);
  };
  const door = () => ['Ada', 'Grace', 'Linus'].filter((name) => gym.mayEnter(name));

  for (const name of ['Ada', 'Grace', 'Linus']) await gym.register(name, good, clock.id);
  await gym.join('Ada', { discounts: [{ name: 'First months', percent_off: 50, periods: 2 }] });
  await gym.join('Grace', {
    metadata: { _sandbox_outcome_by_period: 'succeed;succeed;succeed;decline,succeed;succeed' },
  });
  await gym.join('Linus');
  await gym.sellCourse('Grace', '2028-02-01');
  await gym.freeze('Ada', '2028-06-10', '2028-08-10');
  await to('2028-03-20');
  await gym.sellTowels('Linus', 2);
  await to('2028-04-10');
  assert.deepEqual(door(), ['Ada', 'Grace', 'Linus'], 'a declined payment is retried before the door closes');
  await to('2028-05-25');
  assert.equal(await gym.upgrade('Linus'), 1548);
  await to('2028-06-15');
  assert.deepEqual(door(), ['Grace', 'Linus']);
  await to('2028-08-20');
  assert.deepEqual(door(), ['Ada', 'Grace', 'Linus']);
  await gym.addCard('Linus', empty);
  await gym.leave('Ada', '2028-12-10');
  await to('2028-09-20');
  assert.deepEqual(door(), ['Ada', 'Grace']);
  await gym.addCard('Linus', good);
  await gym.comeBack('Linus');
  await to('2028-12-09');
  assert.deepEqual(door(), ['Ada', 'Grace', 'Linus']);
  await to('2029-01-01');
  assert.deepEqual(door(), ['Grace', 'Linus']);

  const cents = (dollars: number) => Math.round(dollars * 100);
  for (const [month, row] of Object.entries(table)) {
    const expected = Object.entries(row).map(([name, dollars]) => [name, cents(dollars)]);
    const paid = Object.keys(row).map((name) => [name, gym.paid(name, month)]);
    assert.deepEqual(paid, expected, month);
  }
  let held = 0;
  for await (const payment of sandbox.payments.paymentIntents.list({ test_clock: clock.id })) {
    held += payment.net_collected_amount;
  }
  const all = Object.values(table).flatMap((row) => Object.values(row).map(cents));
  assert.equal(
    held,
    all.reduce((sum, one) => sum + one, 0),
    'the service holds what the table says',
  );
});

it('has been paid for what was served when a member returns late, and refunds what a cheaper month leaves', async () => {
  const webhooks = await sandbox.webhooks('payment_intent.*', 'subscription.*');
  const clock = await sandbox.clock({ at: '2028-01-10T00:00:00Z' });
  const gym = new Gym(sandbox.payments);
  const to = async (date: string) => {
    await clock.advance(`${date}T00:00:00Z`);
    for (const event of webhooks.events) gym.handle(event);
  };

  await gym.register('Joan', good, clock.id);
  await gym.join('Joan');
  await to('2028-02-01');
  await gym.addCard('Joan', empty);
  await to('2028-02-14');
  assert.equal(gym.mayEnter('Joan'), true, 'the payment is still retried');
  await to('2028-03-20');
  assert.equal(gym.mayEnter('Joan'), false);
  await gym.addCard('Joan', good);
  assert.equal(await gym.owes('Joan'), 845); // 5 of 29 days
  await gym.comeBack('Joan');
  assert.equal(await gym.owes('Joan'), 0);
  await to('2028-04-05');
  assert.equal(gym.mayEnter('Joan'), true);
  assert.equal(await gym.downgrade('Joan'), 968); // 15 of 31 days: 23.71, less 14.03
  await to('2028-05-21');

  const paid = ['2028-01', '2028-02', '2028-03', '2028-04', '2028-05'].map((month) => gym.paid('Joan', month));
  assert.deepEqual(paid, [7400, 0, 4900 + 845, 2900 - 968, 2900]);
});
