import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import type { Merchant } from './merchant.ts';
import { useService } from './service.ts';

describe('the service that tests share', () => {
  const service = useService();
  let merchant: Merchant;

  describe('in a describe within another', () => {
    useService();
    it('takes a webhook endpoint', async () => {
      merchant = await service.merchant();
      await merchant.endpoint('http://127.0.0.1:9/hooks');
    });
  });

  describe('after one of its users has left', () => {
    it('has the endpoints of the others', async () => {
      const { data } = await merchant.client.webhookEndpoints.list();
      assert.equal(data.length, 1);
    });
  });
});
