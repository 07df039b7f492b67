import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'mocha';
import { root, runScript } from '../../lab/run-program.ts';
import { type StandIn, startStandIn } from '../../lab/stand-in.ts';
import { lineOf } from '../../tools/processor-check/report.ts';
import { bookRows } from '../../tools/processor-check/rows/books.ts';
import { rows } from '../../tools/processor-check/rows/index.ts';
import { setupRows } from '../../tools/processor-check/rows/setups.ts';
import { checkProcessor, type Result } from '../../tools/processor-check/run.ts';
import type { CheckOptions } from '../../tools/processor-check/session.ts';
import { useFolder } from '../runtime/support.ts';
import { defects, forgetful, serveWithDefect, withoutBooks, withPayouts, withSetups } from './broken-processor.ts';

const program = 'tools/processor-check/main.ts';

describe('the check of a processor service', function () {
  this.timeout(120_000);
  const folder = useFolder();
  let standIn: StandIn;

  before('start a service', async () => {
    standIn = await startStandIn(folder.path);
  });
  after('end it', () => standIn.stop());

  const options = (over: Partial<CheckOptions> = {}): CheckOptions => ({
    url: standIn.url,
    secret: standIn.secret,
    account: 'acct_1',
    token: 'tok_sandbox_visa_succeed',
    declinedToken: 'tok_sandbox_visa_decline_insufficient_funds',
    challengeToken: 'tok_sandbox_visa_3ds_required',
    amount: 1000,
    currency: 'AUD',
    livemode: false,
    restartCommand: null,
    ...over,
  });
  /** The supervisor starts it again. */
  const killCommand = () => `kill -9 ${standIn.process.pid}; sleep 1`;
  const check = (args: readonly string[], env: Record<string, string> = {}) =>
    runScript(program, ['--url', standIn.url, ...args], { PROCESSOR_SECRET: standIn.secret, ...env }, 100_000);
  const thatAre = (results: readonly Result[], verdict: Result['verdict']) =>
    results.filter((result) => result.verdict === verdict).map(lineOf);

  for (const [mode, livemode] of [
    ['sandbox', false],
    ['live', true],
  ] as const) {
    it(`finds every promise kept by the stand-in in ${mode} mode, also when it is killed, and gives back what it has taken`, async () => {
      const begun = (await standIn.calls()).length;
      const results = await checkProcessor(options({ livemode, restartCommand: killCommand() }));
      assert.deepEqual([...thatAre(results, 'broken'), ...thatAre(results, 'not tried')], []);
      const lacks = results.filter(({ verdict }) => verdict === 'not offered').map(({ row }) => row);
      assert.deepEqual(lacks, [...bookRows.slice(-1), ...setupRows]);
      assert.equal(results.length, rows.length);
      const money = new Map<string, number>();
      for (const call of (await standIn.calls()).slice(begun)) {
        if ((call.kind !== 'charge' && call.kind !== 'refund') || call.repeated || call.outcome !== 'succeeded')
          continue;
        const sum = (money.get(call.reference ?? '') ?? 0) + (call.kind === 'charge' ? call.amount : -call.amount);
        money.set(call.reference ?? '', sum);
      }
      const announced = rows.reduce((sum, { takes }) => sum + takes, 0);
      assert.ok(money.size >= 10 && money.size <= announced, `${money.size} of ${announced}`);
      assert.deepEqual([...new Set(money.values())], [0]);
    });
  }

  for (const [defect, promise, plays] of [
    ['charges a reservation twice under a race', 'A reservation is charged at most once', '20 charges'],
    ['forgets a key', 'A key reserves one payment', '10 times at once'],
    ['changes an outcome after it was told', 'An outcome is final', 'a payment that is declined'],
    ['refunds twice after a repeat', 'the same refund key gives money back once, for ever', '10 refunds'],
    ['leaves a movement out', '`/movements` leaves nothing out', 'each charge and refund'],
    ['takes a charge without a key', 'Nothing is taken by a call that is not whole', 'JSON that'],
    ['does not look at the secret', 'A call with a wrong secret takes nothing', 'all 11 calls'],
    ['does not look at the account', 'another account’s reference gets no outcome', 'a reservation is inquired'],
    ['has old notices for a service that has no cursor', 'Without a cursor there are no notices', 'none, and'],
    ['does not wait for notices', 'it waits for the first', 'a call without'],
    ['names other references in its notices', 'A notice names a payment that your service has given', 'each notice'],
    ['forgets where the payer of a challenge has to go', 'While the challenge is open, `/inquire` repeats this', 'an'],
    ['does not give a challenge up', 'Once it is `canceled`, it is never charged', 'a challenge is given up'],
    ['makes a setup for each call', 'A key begins one setup', '5 times at once'],
    [
      'says that a setup has succeeded which nobody has filled in',
      '`/setups/inquire` tells what the processor has',
      'a setup that nobody has filled in',
    ],
    ['tells setups to other accounts', 'A setup of another account gets no outcome', 'a setup is inquired'],
    ['describes cards to other accounts', 'A token of another account gets 404', 'the token is described'],
    [
      'settles another amount than it has taken',
      'What a charge and a refund come to is in the list once it',
      'the set',
    ],
    ['settles a charge twice', 'An entry is listed again only to say its payout', 'each entry'],
    ['makes a payout that its items do not add up to', 'A payout is the sum of its items', 'the payouts'],
    ['lags behind with /inquire', '`/inquire` tells at once what `/charges` has done', 'not_charged before'],
  ] as const) {
    it(`names the one promise that a service breaks which ${defect}`, async () => {
      const isForgetful = defect === 'forgets a key';
      if (isForgetful) await standIn.setClimate({ seed: '1', share: 0, kinds: [], forgetsKeys: true });
      const broken = await serveWithDefect(standIn.url, isForgetful ? (call, sound) => sound(call) : defects[defect]());
      try {
        const results = await checkProcessor(options({ url: broken.url }));
        const found = results.filter(({ verdict }) => verdict === 'broken');
        assert.equal(found.length, 1, thatAre(results, 'broken').join('\n'));
        assert.ok(found[0]?.row.promise.startsWith(promise), found[0]?.row.promise);
        assert.ok(found[0]?.row.plays.startsWith(plays), found[0]?.row.plays);
      } finally {
        await broken.close();
        await standIn.setClimate(null);
      }
    });
  }

  for (const [defect, promise] of [
    ['responds to a cancellation with 201', 'its status may carry its `outcome`'],
    ['answers an inquiry without its reference', 'it repeats key and reference'],
  ] as const) {
    it(`names the rule for answers that a service breaks which ${defect}`, async () => {
      const broken = await serveWithDefect(standIn.url, defects[defect]());
      const results = await checkProcessor(options({ url: broken.url })).finally(() => broken.close());
      const ofAnswers = results.filter(({ row }) => /^its? .*(repeats|status)/.test(row.promise));
      assert.equal(ofAnswers.length, 2);
      for (const { row, verdict } of ofAnswers) assert.equal(verdict === 'broken', row.promise === promise);
    });
  }

  it('finds the promises about setups kept by a service that has them', async () => {
    const service = await serveWithDefect(standIn.url, withSetups());
    const results = await checkProcessor(options({ url: service.url })).finally(() => service.close());
    assert.deepEqual(thatAre(results, 'broken'), []);
    const lacks = results.filter(({ verdict }) => verdict === 'not offered').map(({ row }) => row);
    assert.deepEqual(lacks, bookRows.slice(-1), 'the stand-in makes payouts when it is told to');
  });

  it('finds the promises about its books kept by a service that makes payouts, and none offered without books', async () => {
    const service = await serveWithDefect(standIn.url, withPayouts);
    const results = await checkProcessor(options({ url: service.url })).finally(() => service.close());
    const ofBooks = (all: readonly Result[]) => {
      return all.filter(({ row }) => bookRows.includes(row)).map(({ verdict }) => verdict);
    };
    assert.deepEqual(ofBooks(results), ['ok', 'ok', 'ok']);
    const without = await serveWithDefect(standIn.url, withoutBooks);
    const bare = await checkProcessor(options({ url: without.url })).finally(() => without.close());
    assert.deepEqual(ofBooks(bare), ['not offered', 'not offered', 'not offered']);
    assert.deepEqual(thatAre(bare, 'broken'), []);
  });

  it('does not take for broken what is optional: a service that sends no payer to a challenge', async () => {
    const asked = options({ challengeToken: 'tok_sandbox_visa_decline_insufficient_funds' });
    const results = await checkProcessor(asked);
    assert.deepEqual(thatAre(results, 'broken'), []);
    assert.match(
      thatAre(results, 'not offered').join('\n'),
      /says failed \(insufficient_funds\), and sends its payer nowhere/,
    );
  });

  it('finds that a service has lost at a restart what it had told', async () => {
    const mark = join(folder.path, 'restarted');
    const broken = await serveWithDefect(
      standIn.url,
      forgetful(() => existsSync(mark)),
    );
    const asked = options({ url: broken.url, restartCommand: `touch ${mark}` });
    const results = await checkProcessor(asked).finally(() => broken.close());
    const found = results.find(({ row }) => row.promise === 'It is stored before it is sent');
    assert.match(found?.why ?? '', /charges said succeeded, and .inquire after the restart not_charged/);
  });

  it('does not try a restart whose command fails, and says how it has failed', async () => {
    const results = await checkProcessor(options({ restartCommand: 'echo no such service >&2; exit 3' }));
    assert.deepEqual(thatAre(results, 'broken'), []);
    assert.match(thatAre(results, 'not tried').join(), /the restart command ended with 3: no such service/);
  });

  it('names only promises that the page of processors has', async () => {
    const page = (await readFile(join(root, 'docs/processors.md'), 'utf8')).replace(/[*]{2}|\s+/g, (each) => {
      return each === '**' ? '' : ' ';
    });
    const missing = rows.filter(({ promise }) => !page.includes(promise)).map(({ promise }) => promise);
    assert.deepEqual(missing, []);
  });

  it('ends with 0 if nothing is broken, and says of what it has not tried why', async () => {
    const { code, stdout, stderr } = await check(['--token', 'tok_sandbox_mastercard_succeed']);
    assert.equal(code, 0, stdout + stderr);
    assert.match(stdout, /^not tried .*\n {13}give --restart-command/m);
    assert.match(stdout, /^not tried .*\n {13}give --declined-token/m);
    assert.doesNotMatch(stdout, new RegExp(standIn.secret));
    assert.match(stdout, /^Up to \d+ payments of 10\.00 AUD .*\nWhat is taken is given back at the end\./m);
  });

  it('ends with 1 if a promise is broken, shows what was seen, and does not try what needs the first row', async () => {
    const { code, stdout } = await check([], { PROCESSOR_SECRET: 'another-secret' });
    assert.equal(code, 1);
    assert.match(stdout, /^broken .*\n.*\n {13}\| POST \/prepare under att_\w+: 401/m);
    assert.match(stdout, /^not tried .*\n {13}the first row is broken/m);
  });

  it('takes nothing in live mode, and nothing on another machine, without --yes', async () => {
    const begun = (await standIn.calls()).length;
    for (const args of [['--livemode'], ['--url', 'https://processor.invalid']]) {
      const { code, stderr } = await check(args);
      assert.equal(code, 2);
      assert.match(stderr, /repeat the command with --yes/);
    }
    assert.equal((await standIn.calls()).length, begun);
  });

  it('ends with 2 if the command line is not valid', async () => {
    for (const [args, says] of [
      [['--amount', '0'], /--amount needs a whole number/],
      [['--currency', 'dollars'], /--currency needs three capital letters/],
      [['--url', 'processor'], /--url needs a URL/],
      [['--unknown'], /--unknown/],
    ] as const) {
      const { code, stderr } = await check(args);
      assert.equal(code, 2);
      assert.match(stderr, says);
    }
    assert.match((await check([], { PROCESSOR_SECRET: '' })).stderr, /set PROCESSOR_SECRET/);
  });
});
