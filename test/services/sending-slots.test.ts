import assert from 'node:assert/strict';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { createSendingSlots, type SendingSlots } from '../../src/services/webhooks/sending-turns.ts';

const capacity = 512;

/** Takes all that this holder is given; answers how much that was. */
function takeAll(slots: SendingSlots, holder: string): number {
  let taken = 0;
  while (slots.tryTake(holder)) taken += 1;
  return taken;
}

describe('the slots of requests under way', () => {
  it('are given to one endpoint that hangs up to a ninth, and the more of them hang the fewer to each', () => {
    const slots = createSendingSlots(capacity);
    const taken = Array.from({ length: 20 }, (_, index) => takeAll(slots, `hangs ${index}`));
    assert.equal(taken[0], Math.ceil(capacity / 9));
    assert.deepEqual(
      taken,
      taken.toSorted((a, b) => b - a),
    );
    const left = capacity - taken.reduce((sum, each) => sum + each);
    assert.ok(left >= 48, `${left} are left`);
    assert.ok(takeAll(slots, 'answers') >= 5, 'the one that answers has nothing');
  });

  it('go to an endpoint that holds none as long as there is one', () => {
    const slots = createSendingSlots(capacity);
    let holders = 0;
    while (takeAll(slots, `hangs ${holders}`) > 0) holders += 1;
    assert.ok(holders > 40, `${holders} endpoints have taken them all`);
    slots.release('hangs 0');
    assert.equal(slots.tryTake('hangs 0'), false, 'who has more than its share is given another');
    assert.equal(slots.tryTake('comes late'), true);
  });

  it('are never more than there are, and come back one for one, whatever is taken and given back in which order', () => {
    const step = fc.record({ holder: fc.constantFrom('a', 'b', 'c'), takes: fc.boolean() });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 200 }), (size, steps) => {
        const slots = createSendingSlots(size);
        const held = new Map<string, number>();
        const sum = () => [...held.values()].reduce((total, each) => total + each, 0);
        for (const { holder, takes } of steps) {
          const mine = held.get(holder) ?? 0;
          if (takes && slots.tryTake(holder)) held.set(holder, mine + 1);
          else if (!takes && mine > 0) {
            slots.release(holder);
            held.set(holder, mine - 1);
          }
          assert.ok(sum() <= size);
        }
        for (const [holder, mine] of held) for (let count = 0; count < mine; count++) slots.release(holder);
        assert.throws(() => slots.release('a'), /holds no slot/);
        assert.equal(takeAll(slots, 'a'), takeAll(createSendingSlots(size), 'a'));
      }),
    );
  });
});
