// `npm run payments -- processors`: the Stripe accounts of billers.
import { text } from 'node:stream/consumers';
import { chosenBiller } from '../../src/processes/cli/chosen-biller.ts';
import {
  type Command,
  defineCommand,
  operator,
  refuseMore,
  UsageError,
  unknownForm,
} from '../../src/processes/cli/command.ts';
import type { CliContext } from '../../src/processes/cli/context.ts';
import { card, table } from '../../src/processes/cli/output.ts';
import { ConfigError } from '../../src/processes/config/config.ts';
import {
  type Account,
  checkMode,
  checkPublishable,
  disableAccount,
  listAccounts,
  openAccounts,
  readAccount,
  setStatus,
  writeAccount,
} from './accounts.ts';
import { readStripeApiUrl } from './config.ts';
import type { For } from './protocol.ts';
import { ensureSchema } from './schema.ts';
import { verifyAccount } from './verify.ts';

/** The date, set by hand after `npm run test:stripe` has passed. */
const lastRunAgainstStripe = 'never';

export const command: Command = defineCommand({
  usage: `Usage:
  processors add stripe [--biller acct_...] --mode live|sandbox [--publishable-key pk_...] [--json]
  processors rotate stripe [--biller acct_...] --mode live|sandbox [--publishable-key pk_...] [--json]
  processors verify stripe [--biller acct_...] --mode live|sandbox [--json]
  processors disable stripe [--biller acct_...] --mode live|sandbox [--json]
  processors list [--json]
For example: printf %s "$STRIPE_KEY" | npm run --silent payments -- processors add stripe --mode live
add and rotate read the key from standard input. It is sealed, and never shown again. The publishable key is no secret:
pages need it to take cards. add does not ask Stripe; verify does, and moves no money.`,
  options: {
    biller: { type: 'string' },
    mode: { type: 'string' },
    'publishable-key': { type: 'string' },
    json: { type: 'boolean' },
  },
  async run({ values, words: [form, processor, ...rest] }, openContext) {
    refuseMore(rest);
    const show = (result: object) => (values.json ? JSON.stringify(result) : card(result));
    if (form === 'list') {
      refuseMore(processor === undefined ? [] : [processor]);
      const context = await opened(await openContext());
      const rows = (await listAccounts(context.sql)).map((row) => ({ ...shown(row), changed_by: row.changed_by }));
      return values.json ? JSON.stringify(rows) : table(rows);
    }
    if (!['add', 'rotate', 'verify', 'disable'].includes(form ?? '')) throw unknownForm(form);
    if (processor !== 'stripe')
      throw new UsageError(`${form} needs the name of a processor: stripe is the one that is there.`);
    const livemode = modeIn(values.mode);
    // A key that cannot be right is refused before anything is opened.
    const key = form === 'add' || form === 'rotate' ? await readKey(livemode) : '';
    const publishableKey = values['publishable-key'] ?? null;
    if (publishableKey !== null) checkPublishable(publishableKey, livemode);
    const context = await opened(await openContext());
    const place: For = { account: await chosenBiller(context, values.biller), livemode };
    if (form === 'verify') return verified(context, place, values.json === true);
    const { sql } = context;
    if (form === 'disable') await disableAccount(sql, place, operator().id);
    if (form === 'rotate') await readAccount(sql, place);
    if (key !== '')
      await writeAccount(sql, await context.encryptionKeys(), place, { key, publishableKey, by: operator().id });
    return show(shown(await readAccount(sql, place)));
  },
});

async function opened(context: CliContext): Promise<CliContext> {
  await ensureSchema(context.sql);
  return context;
}

function modeIn(mode: string | undefined): boolean {
  if (mode !== 'live' && mode !== 'sandbox') throw new UsageError('--mode must be live or sandbox.');
  return mode === 'live';
}

async function readKey(livemode: boolean): Promise<string> {
  if (process.stdin.isTTY)
    throw new UsageError('The key is read from standard input, so that it is in no history of commands.');
  const key = (await text(process.stdin)).trim();
  checkMode(key, livemode);
  return key;
}

function shown({ account, livemode, key_hint, status, reason }: Account) {
  return { account, mode: livemode ? 'live' : 'sandbox', processor: 'stripe', key_hint, status, reason };
}

async function verified({ sql, encryptionKeys }: CliContext, place: For, isJson: boolean) {
  const faults: string[] = [];
  const stripeApiUrl = readStripeApiUrl(process.env, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  const accounts = openAccounts(sql, await encryptionKeys(), stripeApiUrl ?? undefined);
  const { publishable_key } = await readAccount(sql, place);
  const findings = await verifyAccount(await accounts.clientOf(place), place, publishable_key);
  const wrong = findings.filter(({ is }) => is === 'wrong');
  const isAnswered = findings.some(({ what, is }) => what === 'key' && is === 'right');
  if (wrong.length > 0) await setStatus(sql, place, 'degraded', `${wrong[0]?.what}: ${wrong[0]?.says}`);
  else if (isAnswered) await setStatus(sql, place, 'active', null);
  const { status } = await readAccount(sql, place);
  const note = [
    ...(stripeApiUrl === null ? [] : [`Not Stripe: STRIPE_API_URL is ${stripeApiUrl}.`]),
    `This adapter was last run against Stripe itself: ${lastRunAgainstStripe}.`,
  ];
  const output = isJson
    ? JSON.stringify({ status, findings, note })
    : [table(findings), '', `status: ${status}`, ...note].join('\n');
  return { text: output, status: wrong.length > 0 ? 1 : 0 };
}
