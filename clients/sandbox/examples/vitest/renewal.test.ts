import { type Sandbox, startSandbox } from '@payments-service/sandbox';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startShop } from '../renewal.ts';

const timeoutMs = 120_000; // the service may have to start
let sandbox: Sandbox;
let shop: Awaited<ReturnType<typeof startShop>>;
beforeAll(async () => {
  sandbox = await startSandbox();
  shop = await startShop(sandbox);
}, timeoutMs);
afterAll(async () => {
  shop.close();
  await sandbox.stop();
});

it(
  'is paid every week',
  async () => {
    const clock = await sandbox.clock({ at: '2028-01-03T09:00:00Z' });
    const member = await shop.signUp(clock.id, '2028-01-04');
    await clock.advance('2028-01-26T00:00:00Z'); // your receiver has received everything when this returns
    expect(shop.paid.get(member)).toBe(4 * 2500);
  },
  timeoutMs,
);
