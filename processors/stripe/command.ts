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
  checkNoticeSecret,
  checkPublishable,
  disableAccount,
  listAccounts,
  openAccounts,
  readAccount,
  setStatus,
  writeAccount,
  writeNoticeSecret,
} from './accounts.ts';
import { readStripeApiUrl } from './config.ts';
import type { For } from './protocol.ts';
import { ensureSchema } from './schema.ts';
import { type Finding, verifyAccount } from './verify.ts';
import { checkWebhookUrl, findEndpoint } from './webhook-endpoints.ts';

/** The date, set by hand after `npm run test:stripe` has passed. */
const lastRunAgainstStripe = 'never';

export const command: Command = defineCommand({
  usage: `Usage:
  processors add stripe [--biller acct_...] --mode live|sandbox [--publishable-key pk_...] [--json]
  processors rotate stripe [--biller acct_...] --mode live|sandbox [--publishable-key pk_...] [--json]
  processors add stripe ... --notice-secret      the key, and on a second line what Stripe signs its notices with
  processors rotate stripe ... --notice-secret   what Stripe signs its notices with; the key stays
  processors verify stripe [--biller acct_...] --mode live|sandbox [--webhook-url URL] [--json]
  processors disable stripe [--biller acct_...] --mode live|sandbox [--json]
  processors list [--json]
For example: printf %s "$STRIPE_KEY" | npm run --silent payments -- processors add stripe --mode live
add and rotate read the key from standard input. It is sealed, and never shown again. The publishable key is no secret:
pages need it to take cards. add does not ask Stripe; verify does, and moves no money. With --webhook-url it registers
that address for notices, if Stripe does not have it, and seals the secret that Stripe gives for it.`,
  options: {
    ...{ biller: { type: 'string' }, mode: { type: 'string' }, json: { type: 'boolean' } },
    ...{
      'publishable-key': { type: 'string' },
      'notice-secret': { type: 'boolean' },
      'webhook-url': { type: 'string' },
    },
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
    // What cannot be right is refused before anything is opened.
    const given = await readGiven(form, livemode, values['notice-secret'] === true);
    const url = values['webhook-url'] ?? null;
    if (url !== null && form !== 'verify') throw new UsageError('--webhook-url is for verify alone.');
    const publishableKey = values['publishable-key'] ?? null;
    if (publishableKey !== null) checkPublishable(publishableKey, livemode);
    if (publishableKey !== null && given.key === null) throw new UsageError('--publishable-key comes with a key.');
    const context = await opened(await openContext());
    const place: For = { account: await chosenBiller(context, values.biller), livemode };
    if (form === 'verify') return verified(context, place, { isJson: values.json === true, webhookUrl: url });
    const { sql } = context;
    const by = operator().id;
    if (form === 'disable') await disableAccount(sql, place, by);
    if (form === 'rotate') await readAccount(sql, place);
    if (given.key !== null)
      await writeAccount(sql, await context.encryptionKeys(), place, { key: given.key, publishableKey, by });
    if (given.secret !== null) {
      await writeNoticeSecret(sql, await context.encryptionKeys(), place, { secret: given.secret, by });
    }
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

/** What comes on standard input: a key, a secret of notices, or both. What is not asked for is null. */
async function readGiven(
  form: string | undefined,
  livemode: boolean,
  withSecret: boolean,
): Promise<{ key: string | null; secret: string | null }> {
  if (form !== 'add' && form !== 'rotate') {
    if (withSecret) throw new UsageError('--notice-secret is for add and rotate alone.');
    return { key: null, secret: null };
  }
  if (process.stdin.isTTY)
    throw new UsageError('The key is read from standard input, so that it is in no history of commands.');
  const input = (await text(process.stdin)).trim();
  const isSecretAlone = withSecret && form === 'rotate';
  const [first = '', second = ''] = withSecret && !isSecretAlone ? input.split(/\s*\n\s*/) : [input];
  if (!isSecretAlone) checkMode(first, livemode);
  const secret = isSecretAlone ? first : second;
  if (withSecret) checkNoticeSecret(secret);
  return { key: isSecretAlone ? null : first, secret: withSecret ? secret : null };
}

function shown({ account, livemode, key_hint, sealed_notice_secret: secret, status, reason }: Account) {
  const mode = livemode ? 'live' : 'sandbox';
  return { account, mode, processor: 'stripe', key_hint, status, reason, has_notice_secret: secret !== null };
}

async function verified(
  { sql, encryptionKeys }: CliContext,
  place: For,
  { isJson, webhookUrl }: { isJson: boolean; webhookUrl: string | null },
) {
  if (webhookUrl !== null) checkWebhookUrl(webhookUrl, place);
  const faults: string[] = [];
  const stripeApiUrl = readStripeApiUrl(process.env, faults);
  if (faults.length > 0) throw new ConfigError(faults);
  const accounts = openAccounts(sql, await encryptionKeys(), stripeApiUrl ?? undefined);
  const stripe = await accounts.clientOf(place);
  const { sealed_notice_secret: sealed, publishable_key } = await readAccount(sql, place);
  const findings = await verifyAccount(stripe, place, publishable_key);
  const endpoint = await findEndpoint(stripe, place, { hasSecret: sealed !== null, register: webhookUrl });
  findings.push(endpoint.finding);
  if (endpoint.secret !== null) {
    const given = { secret: endpoint.secret, by: operator().id };
    await writeNoticeSecret(sql, await encryptionKeys(), place, given);
  }
  const isWrong = ({ is }: Finding) => is === 'wrong';
  // Payments are taken without notices too.
  const wrong = findings.filter((each) => isWrong(each) && each !== endpoint.finding);
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
  return { text: output, status: findings.some(isWrong) ? 1 : 0 };
}
