import { spawn } from 'node:child_process';
import type { PaymentsClient } from '../client.ts';
import { type CliContext, type Command, exactly, parse, UsageError } from './command.ts';
import { print, printNote } from './terminal.ts';

const usage = `Usage: payments open ID [--print]

Fetches an object by its id (cus_…, pm_…, mdt_…, pi_…, re_…, pp_…, sub_…, lnk_…, ses_…, clk_…, evt_…, we_…, whd_…) and
prints it as JSON. In the browser it opens the page of its workflow in Temporal's Web UI if the service runs on this
machine, otherwise the reference. --print opens nothing and prints the address on stderr.`;

interface Kind {
  fetch(payments: PaymentsClient, id: string): Promise<object>;
  /** The type of the object's workflow, if it has one. */
  workflow?: string;
}

const kinds: Readonly<Record<string, Kind>> = {
  cus: { fetch: ({ customers }, id) => customers.get(id) },
  pm: { fetch: async ({ paymentMethods }, id) => (await paymentMethods.get(id)).payment_method },
  mdt: { fetch: ({ mandates }, id) => mandates.get(id) },
  pi: { fetch: ({ paymentIntents }, id) => paymentIntents.get(id) },
  re: { fetch: ({ refunds }, id) => refunds.get(id) },
  pp: { fetch: ({ paymentPlans }, id) => paymentPlans.get(id), workflow: 'payment-plan' },
  sub: { fetch: ({ subscriptions }, id) => subscriptions.get(id), workflow: 'subscription' },
  lnk: { fetch: ({ paymentLinks }, id) => paymentLinks.get(id), workflow: 'payment-link' },
  ses: { fetch: ({ checkoutSessions }, id) => checkoutSessions.get(id), workflow: 'checkout-session' },
  clk: { fetch: ({ testClocks }, id) => testClocks.get(id), workflow: 'test-clock' },
  evt: { fetch: ({ events }, id) => events.get(id) },
  we: { fetch: ({ webhookEndpoints }, id) => webhookEndpoints.get(id) },
  whd: { fetch: ({ webhookDeliveries }, id) => webhookDeliveries.get(id), workflow: 'webhook-delivery' },
};

async function run(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, { print: { type: 'boolean', default: false } });
  const [id = ''] = exactly(positionals, 'ID');
  const prefix = id.slice(0, id.indexOf('_'));
  const kind = Object.hasOwn(kinds, prefix) ? kinds[prefix] : undefined;
  if (kind === undefined) throw new UsageError(`"${id}" does not begin like the id of an object.`);
  const { payments, baseUrl, webUiUrl } = connect();
  print(JSON.stringify(await kind.fetch(payments, id), null, 2));
  const url =
    kind.workflow !== undefined && webUiUrl !== null
      ? `${webUiUrl}/namespaces/payments/workflows/${encodeURIComponent(`${kind.workflow}/${id}`)}`
      : new URL('docs', baseUrl.endsWith('/') ? baseUrl : `${baseUrl}/`).href;
  if (!values.print && !(await openInBrowser(url))) printNote('No browser could be started here. The page is:');
  printNote(url);
  return 0;
}

/** Returns whether a browser was started. */
export function openInBrowser(url: string): Promise<boolean> {
  const [program = '', ...args] =
    process.platform === 'darwin' ? ['open'] : process.platform === 'win32' ? ['cmd', '/c', 'start', ''] : ['xdg-open'];
  return new Promise((resolve) => {
    const child = spawn(program, [...args, url], { stdio: 'ignore', detached: true });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

export const open: Command = { usage, run };
