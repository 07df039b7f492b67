// `npm run processor:check`: plays the promises of docs/processors.md against a processor service, by its URL. For the
// author of such a service.
import { readOptions, UsageError, wholeNumber } from '../../lab/program.ts';
import { type Id, namedId } from '../../src/domain/ids.ts';
import { print, printError } from '../../src/platform/terminal.ts';
import { isRemoteAddress } from '../../src/processes/config/transport.ts';
import { announcement, lineOf, summaryOf } from './report.ts';
import { checkProcessor } from './run.ts';
import type { CheckOptions } from './session.ts';

const succeeding = 'tok_sandbox_visa_succeed';
const declined = 'tok_sandbox_visa_decline_insufficient_funds';
const challenging = 'tok_sandbox_visa_3ds_required';

const usage = `PROCESSOR_SECRET=… npm run --silent processor:check -- --url URL [OPTION]…
Plays the promises of docs/processors.md against a processor service, and prints a row for each: "ok", "broken" with
what was seen, "not tried" with the reason, or "not offered" for what is optional and the service lacks.
  --url              of the service, such as http://127.0.0.1:9000/v1
  --secret           its secret. Prefer the variable PROCESSOR_SECRET: other users of this machine see arguments
  --account          the biller, acct_…, whose account is charged, of a service that has several
  --token            of a payment method that is charged (${succeeding})
  --declined-token   of one that is declined (${declined}, if --token is not given)
  --challenge-token  of a card whose bank asks the payer (${challenging}, if --token is not given)
  --amount           of each payment, in minor units (1000)
  --currency         (AUD)
  --livemode         the calls say that the money is real
  --yes              needed with --livemode, and for a service on another machine: payments are charged, and given back
  --restart-command  a shell command that kills the service, starts it again and then ends
Ends with 0 if nothing is broken, 1 if something is, 2 if the command line is not valid.`;

async function main(): Promise<number> {
  const values = readOptions({
    url: { type: 'string' },
    secret: { type: 'string' },
    account: { type: 'string' },
    token: { type: 'string' },
    'declined-token': { type: 'string' },
    'challenge-token': { type: 'string' },
    amount: { type: 'string', default: '1000' },
    currency: { type: 'string', default: 'AUD' },
    livemode: { type: 'boolean', default: false },
    yes: { type: 'boolean', default: false },
    'restart-command': { type: 'string' },
  });
  if (values === null) {
    print(usage);
    return 0;
  }
  const { token } = values;
  const options: CheckOptions = {
    url: urlIn(values.url),
    secret: secretIn(values.secret ?? process.env.PROCESSOR_SECRET),
    account: accountIn(values.account),
    token: token ?? succeeding,
    declinedToken: values['declined-token'] ?? (token === undefined ? declined : null),
    challengeToken: values['challenge-token'] ?? (token === undefined ? challenging : null),
    amount: wholeNumber('--amount', values.amount),
    currency: currencyIn(values.currency),
    livemode: values.livemode,
    restartCommand: values['restart-command'] ?? null,
  };
  print(announcement(options));
  if (needsConsent(options) && !values.yes) {
    throw new UsageError('this may take real money, for as long as it runs: repeat the command with --yes');
  }
  const results = await checkProcessor(options, (result) => print(lineOf(result)));
  print(`\n${summaryOf(results)}`);
  return results.some(({ verdict }) => verdict === 'broken') ? 1 : 0;
}

/** Without the slash at its end. */
function urlIn(text: string | undefined): string {
  if (text === undefined) throw new UsageError('--url is missing');
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UsageError(`--url needs a URL, not "${text}"`);
  return url.href.replace(/\/$/, '');
}

function secretIn(text: string | undefined): string {
  if (text) return text;
  throw new UsageError('set PROCESSOR_SECRET to the secret of the service');
}

function accountIn(text: string | undefined): Id<'biller'> | null {
  if (text === undefined) return null;
  if (/^acct_\w+$/.test(text)) return namedId('biller', text);
  throw new UsageError(`--account needs the id of a biller, such as acct_…, not "${text}"`);
}

function currencyIn(text: string): string {
  if (/^[A-Z]{3}$/.test(text)) return text;
  throw new UsageError(`--currency needs three capital letters, such as AUD, not "${text}"`);
}

/** Whether it may take real money. What runs on this machine in sandbox mode is tried out. */
function needsConsent({ url, livemode }: CheckOptions): boolean {
  const { hostname } = new URL(url);
  return livemode || isRemoteAddress(`${hostname}:`);
}

// A run that is interrupted cannot give back what it has taken.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(name, () => {
    printError('Interrupted: what was taken so far is not given back. Its references are in your service’s movements.');
    process.exit(130);
  });
}

try {
  process.exitCode = await main();
} catch (error) {
  const isUsage = error instanceof UsageError;
  printError(isUsage ? `${error.message}\n\n${usage}` : error);
  process.exitCode = isUsage ? 2 : 1;
}
