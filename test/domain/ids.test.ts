import assert from 'node:assert/strict';
import fc from 'fast-check';
import { derivedId, type Id, type IdKind, idHeads, isId, namedId, newId } from '../../src/domain/ids.ts';

const prefixes: Record<IdKind, string> = {
  biller: 'acct_',
  api_key: 'key_',
  customer: 'cus_',
  payment_method: 'pm_',
  mandate: 'mdt_',
  payment_intent: 'pi_sandbox_',
  payment_attempt: 'att_',
  balance_transaction: 'txn_',
  payout: 'po_',
  dispute: 'dp_',
  refund: 're_',
  payment_plan: 'pp_',
  payment_link: 'lnk_',
  checkout_session: 'ses_',
  subscription: 'sub_',
  subscription_item: 'sbi_',
  test_clock: 'clk_',
  clock_advance: 'adv_',
  event: 'evt_',
  webhook_endpoint: 'we_',
  webhook_delivery: 'whd_',
  dashboard_session: 'dbs_',
  request: 'req_',
};
const kinds = Object.keys(prefixes) as IdKind[];
const sandbox = { livemode: false };
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

function assertRising(texts: readonly string[]): void {
  for (const [index, text] of texts.entries()) {
    const before = texts[index - 1];
    if (before === undefined) continue;
    assert.equal(Buffer.compare(Buffer.from(before), Buffer.from(text)), -1, `${before} is not below ${text}`);
  }
}

function timeOf(id: string): number {
  let value = 0;
  for (const symbol of id.slice(id.lastIndexOf('_') + 1).slice(0, 9)) value = value * 62 + alphabet.indexOf(symbol);
  return value;
}

describe('ids', () => {
  for (const kind of kinds) {
    it(`are ${prefixes[kind]} and 32 base62 characters for the kind ${kind}`, () => {
      assert.match(newId(kind, sandbox), new RegExp(`^${prefixes[kind]}[0-9A-Za-z]{32}$`));
    });
  }

  it('begin with pi_ alone for live payment intents', () => {
    assert.match(newId('payment_intent', { livemode: true }), /^pi_[0-9A-Za-z]{32}$/);
  });

  it('need a mode for payment intents', () => {
    assert.throws(() => newId('payment_intent'), TypeError);
  });

  it('are the same in both modes for other kinds', () => {
    assert.match(newId('customer', { livemode: true }), /^cus_[0-9A-Za-z]{32}$/);
    assert.match(newId('customer', sandbox), /^cus_[0-9A-Za-z]{32}$/);
  });

  it('strictly increase by their bytes within one process, and never repeat', () => {
    const ids = Array.from({ length: 100_000 }, () => newId('event'));
    assertRising(ids);
    assert.equal(new Set(ids).size, ids.length);
  });

  it('increase across kinds, for all kinds share one sequence', () => {
    const made = Array.from({ length: 5 }, () => kinds.map((kind) => newId(kind, sandbox))).flat();
    assertRising(made.map((id) => id.slice(-32)));
  });

  it('carry the millisecond in which they were made', () => {
    // A source of its own would do for the form; the process's one shows that it reads the real clock.
    const before = Date.now();
    const time = timeOf(newId('refund'));
    assert.ok(before <= time && time <= Date.now() + 1, `${time} against ${before}`);
  });

  it('differ in their random part within one millisecond', () => {
    const tails = Array.from({ length: 1000 }, () => newId('request').slice(-20));
    assert.equal(new Set(tails).size, tails.length);
  });
});

describe('heads of ids', () => {
  it('strictly increase whatever the clock does', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 4_000_000_000_000 }), { minLength: 2, maxLength: 60 }),
        (times) => {
          const left = [...times];
          const next = idHeads(() => left.shift() ?? 0);
          const heads = times.map(() => next());
          assertRising(heads);
          assert.ok(heads.every((head) => head.length === 12));
        },
      ),
    );
  });

  it('borrow the next millisecond when one clock tick holds more ids than the counter counts', () => {
    const next = idHeads(() => 1_700_000_000_000);
    const heads = Array.from({ length: 62 ** 3 + 1 }, () => next());
    assertRising(heads);
    assert.equal(timeOf(heads[0] ?? ''), 1_700_000_000_000);
    assert.equal(timeOf(heads.at(-1) ?? ''), 1_700_000_000_001);
  });

  it('leave the counter most of its range in every millisecond', () => {
    let time = 0;
    const next = idHeads(() => {
      time += 1;
      return time;
    });
    for (let made = 0; made < 2000; made += 1) assert.equal(next().charAt(9), '0');
  });

  it('take the time of a clock that goes on', () => {
    const times = [1000, 999, 1000, 1001, 5000];
    const next = idHeads(() => times.shift() ?? 0);
    assert.deepEqual([next(), next(), next(), next(), next()].map(timeOf), [1000, 1000, 1000, 1001, 5000]);
  });
});

describe('the form of an id', () => {
  it('is recognised for its own kind and for no other', () => {
    for (const made of kinds) {
      const id = newId(made, sandbox);
      assert.deepEqual(
        kinds.filter((kind) => isId(kind, id)),
        [made],
      );
    }
  });

  it('may be that of either mode for a payment intent', () => {
    assert.ok(isId('payment_intent', `pi_${'a'.repeat(32)}`));
    assert.ok(isId('payment_intent', `pi_sandbox_${'a'.repeat(32)}`));
    assert.ok(!isId('payment_intent', `pi_sandbox${'a'.repeat(32)}`));
    assert.ok(!isId('payment_intent', 'pi_sandbox_aaaaaaaaaaaaaaaaaaaaa'));
  });

  it('is refused with a character too few, too many or foreign', () => {
    const body = '0Az'.repeat(10);
    assert.ok(isId('customer', `cus_${body}bc`));
    const wrong = [
      `cus_${body}b`,
      `cus_${body}bcd`,
      `cus_${body}b-`,
      `cus_${body}b\n`,
      `cus_${body}bc\n`,
      `cus_${body}bé`,
    ];
    for (const value of [...wrong, `CUS_${body}bc`, ` cus_${body}bc`, `${body}bc`, '', 'cus_']) {
      assert.ok(!isId('customer', value), JSON.stringify(value));
    }
  });
});

describe('a derived id', () => {
  const owner = newId('payment_plan');

  it('is the same for the same owner and name, another for any other, and has the form of its kind', () => {
    const id = derivedId('payment_attempt', owner, '3/1');
    assert.equal(derivedId('payment_attempt', owner, '3/1'), id);
    assert.ok(isId('payment_attempt', id));
    const others = [
      derivedId('payment_attempt', owner, '3/2'),
      derivedId('payment_attempt', owner, '31'),
      derivedId('payment_attempt', newId('payment_plan'), '3/1'),
      derivedId('payment_attempt', newId('payment_intent', { livemode: false }), '3/1'),
    ];
    assert.equal(new Set([id, ...others]).size, 5);
  });

  it('stays as it is from version to version: it is the key under which the processor was asked', () => {
    const owner = 'pp_0123456789ABCDEFGHIJKLMNOPQRSTUV';
    assert.equal(derivedId('payment_attempt', owner, '3/1'), 'att_0123456789AB501UGQek5I2v5ZWt6HDg');
  });

  it('sorts with its owner, so that an index on it grows at its end', () => {
    const later = newId('payment_plan');
    assert.ok(derivedId('payment_attempt', owner, '9/9') < derivedId('payment_attempt', later, '0/1'));
  });
});

describe('the type of an id', () => {
  const charge = (intentId: Id<'payment_intent'>, methodId: Id<'payment_method'>) => [intentId, methodId];
  const [intent, method] = [newId('payment_intent', sandbox), newId('payment_method')];

  // `tsc` checks this test: it fails if one of these lines compiles.
  it('is that of its kind, so ids that are swapped do not compile', () => {
    assert.deepEqual(charge(intent, method), [intent, method]);
    // @ts-expect-error the two are swapped
    charge(method, intent);
    // @ts-expect-error an id that was not looked up may be of any kind
    charge(String(intent), method);
  });

  it('is known once the text was checked, or named as one of the kind', () => {
    const text: string = method;
    assert.ok(isId('payment_method', text));
    assert.deepEqual(charge(intent, text), [intent, method]);
    assert.equal(namedId('payment_method', 'anything'), 'anything');
    assert.equal(namedId('payment_method', null), null);
  });
});
