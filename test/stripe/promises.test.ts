import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { namedId } from '../../src/domain/ids.ts';
import { checkProcessor } from '../../tools/processor-check/run.ts';
import { account, useStripe } from './support.ts';

describe('the processor service of Stripe', function () {
  this.timeout(120_000);
  const stripe = useStripe();

  it('keeps every promise of the protocol that can be played, and gives back what was taken', async () => {
    const results = await checkProcessor(
      {
        ...{ url: stripe.url, secret: stripe.secret, account: namedId('biller', account), livemode: false },
        ...{ token: await stripe.rig.makeCard('good'), declinedToken: await stripe.rig.makeCard('declined') },
        ...{ amount: 1000, currency: 'AUD', restartCommand: null },
      },
      () => {},
    );
    const kept = results.filter(({ verdict }) => verdict === 'ok');
    assert.deepEqual(
      results.filter(({ verdict }) => verdict === 'broken'),
      [],
    );
    assert.ok(kept.length > 20, `${kept.length} of ${results.length} promises were kept`);
    const { successes, refunded, takenForAttempt } = await stripe.rig.judge();
    assert.ok([...successes.values()].every((times) => times === 1));
    const sum = (amounts: Iterable<number>) => [...amounts].reduce((total, each) => total + each, 0);
    assert.equal(sum(refunded.values()), sum(takenForAttempt.values()));
    assert.deepEqual(await stripe.rig.shadow.complaints(), []);
  });
});
