import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PaymentsClient } from '@payments-service/client';
import { after, before, it } from 'mocha';
import { type Accounts, serveAccounts } from '../../dev/accounts.ts';
import { writeDevelopment } from '../../dev/data-dir.ts';
import { root } from '../../lab/run-program.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { type Repetition, repeat } from '../../src/platform/repeat.ts';
import { followLedgers } from '../../src/services/ledger/follower.ts';
import { allRoutes } from '../../src/sites/routes.ts';
import { makeKeys } from '../support/factories.ts';
import { blocksIn, itRunsSamplesOf, scriptsIn, whyNotRun } from '../support/samples.ts';
import { useService } from '../support/service.ts';
import { openShell, type Shell } from '../support/shell.ts';
import { assertReceives, startRelay } from './receivers.ts';

const folder = new URL('../../docs/api/', import.meta.url);
const introduction = 'README.md';
/** In the order in which they are read. The first page has a test of its own: test/client/five-minutes.test.ts. */
const guides = [
  introduction,
  ...readdirSync(folder)
    .filter((name) => name.endsWith('.md') && ![introduction, '00-five-minutes.md'].includes(name))
    .sort(),
];
const textOf = (name: string) => readFileSync(new URL(name, folder), 'utf8');
/** What the shell of a reader has before the first page. */
const given = ['HOME', 'PWD', 'RECEIVER_URL', 'SERVICE', 'DATA_DIR'];

/** Why a block is not pasted, and what runs or reads it instead. By its page, its first words, and how it is marked. */
const notPasted: Readonly<Record<string, string>> = {
  '03a-in-your-own-tests.md, sh not-run: pip install':
    'needs the tools of pip that build a package: test/client/python.test.ts builds and installs it',
  '03a-in-your-own-tests.md, py not-run: def test_a_member_pays_every_week(payments_sandbox):':
    'is a test of pytest that leaves out what is sold: test/client/gym.test.ts runs whole ones',
  '03a-in-your-own-tests.md, py not-run: @pytest.fixture':
    'is a part of a conftest.py: test/client/sandbox.test.ts runs an example that has it',
  '03a-in-your-own-tests.md, sh not-run: npx @payments-service/sandbox':
    'runs until Ctrl-C: test/client/sandbox-package.test.ts starts it',
  '04-webhooks.md, json: {': 'is no code: a body in short',
  '04b-command-line.md, sh not-run: payments listen': 'runs until Ctrl-C: test/client/cli-listen.test.ts starts it',
  '04b-command-line.md, text: Ready. Events': 'is what that prints, with the time of day',
  '07-going-live.md, sh not-run: stripe() {':
    'needs a key of Stripe: test/docs/stripe.test.ts runs it against a server in place of Stripe',
  '07-going-live.md, sh not-run: API_KEY=$LIVE_KEY call POST "/payment_intents/$INTENT/confirm"':
    'needs Stripe: test/stripe/payments.test.ts and test/stripe/refunds.test.ts make such calls of the adapter',
  '12-pages-for-payers.md, html: <!doctype html>': 'is opened in a browser by test/pages/widget.test.ts',
  '17b-your-own-bi.md, sql: ': 'needs a role of PostgreSQL; run by test/security/reporting.test.ts',
  '13a-what-an-end-does.md, text: ': 'is no code: a response in short, to a request in the sentence before it',
};

/** All that the page has the reader paste into the shell. */
const pastedFrom = (name: string) =>
  scriptsIn(textOf(name), name)
    .filter(({ language, isRun }) => language === 'sh' && isRun)
    .map(({ text }) => text)
    .join('\n');
const functionsIn = (text: string) => [...text.matchAll(/^(\w+)\(\) \{/gm)].map(([, name = '']) => name);
const variablesSetIn = (text: string) =>
  [...text.matchAll(/(?:^|export |\s)([A-Z][A-Z_]*)=/gm)].map(([, name]) => name);
const variablesReadIn = (text: string) => [...text.matchAll(/\$\{?([A-Z][A-Z_]*)/g)].map(([, name]) => name);

describe('the guides to the API, pasted in order into one shell', () => {
  const service = useService({ isAlone: true });
  let following: Repetition;
  let receiver: Awaited<ReturnType<typeof startRelay>>;
  let dataDir = '';
  let accounts: Accounts;
  let shell: Shell;
  let payments: PaymentsClient;

  before('open a shell beside a service as npm start runs it', async () => {
    receiver = await startRelay();
    dataDir = await mkdtemp(join(tmpdir(), 'guides-'));
    const { biller, ...keys } = await makeKeys(service.db.sql);
    const { sandboxSecret, sandboxPublishable, liveSecret, livePublishable } = keys;
    accounts = await serveAccounts(service.db.url, service.url);
    await writeDevelopment(dataDir, {
      base_url: service.url,
      pages_url: service.url,
      temporal_ui_url: null,
      temporal_address: '',
      temporal_namespace: '',
      sandbox_temporal_address: null,
      sandbox_temporal_namespace: null,
      database_url: service.db.url,
      biller_id: biller.id,
      keys: {
        sandbox_secret: sandboxSecret,
        sandbox_publishable: sandboxPublishable,
        live_secret: liveSecret,
        live_publishable: livePublishable,
      },
      accounts_url: accounts.url,
      accounts_token: accounts.token,
    });
    payments = new PaymentsClient({ baseUrl: service.url, apiKey: sandboxSecret });
    shell = openShell(dataDir, { HOME: dataDir, SERVICE: root, DATA_DIR: dataDir, RECEIVER_URL: receiver.url });
    // As the housekeeping of a worker does. A page waits for its rows, and fails without them.
    following = repeat((closing) => followLedgers(service.db.sql, closing), { everyMs: 500, onError: () => {} });
  });
  after('close the shell', async () => {
    await following.close();
    await shell.close();
    await accounts.stop();
    await receiver.close();
    await rm(dataDir, { recursive: true });
  });

  for (const name of guides) {
    const scripts = scriptsIn(textOf(name), name);
    if (scripts.length === 0) continue;
    describe(name, () => {
      itRunsSamplesOf(new URL(name, folder), (script) => shell.run(script));
      for (const script of scripts.filter(({ isServer }) => isServer)) {
        const obstacle = whyNotRun(script.language);
        if (obstacle !== null) it(`has a receiver that is skipped, because ${obstacle}: ${script.title}`);
        else
          it(`has a receiver that accepts what the service signs, and nothing else: ${script.title}`, async function () {
            this.timeout(360_000);
            await assertReceives(script, (await service.merchant()).client);
          });
      }
      it(`leaves no test clock and no webhook endpoint behind: ${name}`, async () => {
        const { data: clocks } = await payments.testClocks.list();
        const { data: endpoints } = await payments.webhookEndpoints.list();
        assert.deepEqual([clocks, endpoints], [[], []]);
      });
    });
  }
});

describe('the shell of the guides', () => {
  it('gets each helper from one page', () => {
    const helpers = guides.flatMap((name) => functionsIn(pastedFrom(name)));
    assert.ok(helpers.includes('call') && helpers.includes('field'));
    assert.deepEqual(helpers, [...new Set(helpers)]);
  });

  it('needs no variable of another page but the introduction', () => {
    const known = [...given, ...variablesSetIn(pastedFrom(introduction))];
    for (const name of guides) {
      const text = pastedFrom(name);
      const set = [...known, ...variablesSetIn(text)];
      assert.deepEqual(
        variablesReadIn(text).filter((variable) => !set.includes(variable)),
        [],
        name,
      );
    }
  });

  it('is given every block of every page, but for those that are listed with the reason and the test that runs them', () => {
    const left = ['00-five-minutes.md', ...guides].flatMap((name) =>
      blocksIn(textOf(name)).flatMap(({ language, words, code }) => {
        const isRead = words.includes('output') || words.includes('server');
        const isPasted = ['ts', 'sh', 'bash', 'py', 'go'].includes(language) && !words.includes('not-run');
        return isRead || isPasted ? [] : [`${name}, ${[language, ...words].join(' ')}: ${code.split('\n')[0]}`];
      }),
    );
    const known = Object.keys(notPasted);
    const listed = (block: string) => known.filter((start) => block.startsWith(start));
    assert.deepEqual(
      left.filter((block) => listed(block).length !== 1),
      [],
    );
    assert.deepEqual(
      known.filter((start) => left.filter((block) => block.startsWith(start)).length !== 1),
      [],
    );
    for (const reason of known.map((start) => notPasted[start] ?? '')) {
      for (const [file] of reason.matchAll(/test\/[\w./-]+\.ts/g)) assert.ok(existsSync(join(root, file)), file);
    }
  });

  it('takes every block of a page in turn, so that none is said to continue another', () => {
    const continued = guides.flatMap((name) =>
      blocksIn(textOf(name)).filter(({ language, words }) => language === 'sh' && words.includes('continued')),
    );
    assert.deepEqual(continued, []);
  });
});

describe('the names that differ between resources', () => {
  it('are names of fields in the reference', () => {
    const { schemas = {} } = openApiDocument(allRoutes).components;
    const fields = new Set([...JSON.stringify(schemas).matchAll(/"(\w+)":\{/g)].map(([, name]) => name));
    const [, section = ''] = textOf(introduction).split('## Names that differ between our own resources');
    const names = [...section.matchAll(/`([a-z]+(?:_[a-z]+)*)`/g)].map(([, name]) => name);
    assert.ok(names.length > 15);
    assert.deepEqual(
      names.filter((name) => !fields.has(name)),
      [],
    );
  });
});
