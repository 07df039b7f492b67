import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { makeKey } from '../support/factories.ts';
import { refusal, useStage } from '../support/stage.ts';

describe('the business days of a scheme', () => {
  const stage = useStage();
  const list = (query: string) => stage.request('GET', `/business_days?${query}`);

  it('are listed from a date on, which is included if it is one of them', async () => {
    const { status, body } = await list('scheme=au_becs&from=2027-03-25&count=4');
    assert.deepEqual(
      [status, body],
      [200, { data: ['2027-03-25', '2027-03-30', '2027-03-31', '2027-04-01'], has_more: true }],
    );
    const { body: closed } = await list('scheme=au_becs&from=2027-03-26&count=1');
    assert.deepEqual(closed, { data: ['2027-03-30'], has_more: true });
  });

  it('are twenty by default, and at most a hundred', async () => {
    assert.equal((await list('scheme=au_becs&from=2027-03-25')).body.data.length, 20);
    assert.equal((await list('scheme=au_becs&from=2027-03-25&count=100')).body.data.length, 100);
  });

  it('end with the calendar: then no more follow', async () => {
    const { body } = await list('scheme=au_becs&from=2099-12-30&count=2');
    assert.deepEqual(body, { data: ['2099-12-30', '2099-12-31'], has_more: false });
    const whole = await list('scheme=au_becs&from=2099-12-30&count=1');
    assert.deepEqual(whole.body, { data: ['2099-12-30'], has_more: true });
  });

  for (const [query, fault] of [
    ['from=2027-01-01', 'query/scheme parameter_missing'],
    ['scheme=sepa_core&from=2027-01-01', 'query/scheme invalid_value'],
    ['scheme=au_becs', 'query/from parameter_missing'],
    ['scheme=au_becs&from=2027-02-30', 'query/from invalid_format'],
    ['scheme=au_becs&from=1999-12-31', 'query/from out_of_range'],
    ['scheme=au_becs&from=2100-01-01', 'query/from out_of_range'],
    ['scheme=au_becs&from=2027-01-01&count=0', 'query/count out_of_range'],
    ['scheme=au_becs&from=2027-01-01&count=101', 'query/count out_of_range'],
  ] as const) {
    it(`are refused as 400 for the query ${query}`, async () => {
      assert.deepEqual(refusal(await list(query), 400), [fault]);
    });
  }

  it('need the scope mandates:read', async () => {
    const { key } = await makeKey(stage.db.sql, { scopes: ['mandates:write'] });
    const { status, body } = await stage.api.send('GET', '/api/v1/business_days?scheme=au_becs&from=2027-01-01', {
      key,
    });
    assert.deepEqual([status, body.error.code], [403, 'insufficient_scope']);
  });
});
