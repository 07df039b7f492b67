import { type CliContext, type Command, exactly, parse, UsageError } from './command.ts';
import { openInBrowser } from './open.ts';
import { print, printJson, printNote } from './terminal.ts';

const usage = `Usage: payments workbench [--clock ID] [--open] [--json]

Prints a URL that opens the workbench in a browser: the test clocks of the key's sandbox account, as pages of the
dashboard. It works once, within five minutes. The session lasts an hour, or until the key is revoked.

--clock  it leads to the page of this clock.
--open   also opens it in the browser of this machine.`;

async function run(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, {
    clock: { type: 'string' },
    open: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  exactly(positionals);
  const { clock } = values;
  if (clock !== undefined && !/^clk_\w+$/.test(clock)) throw new UsageError('--clock must be the id of a clock, clk_…');
  const { url, expires_at } = await linkOf(connect(), clock);
  if (values.json) printJson({ url, expires_at });
  else {
    print(url);
    printNote(`It works once, within five minutes. The session lasts until ${expires_at}.`);
  }
  if (values.open && !(await openInBrowser(url))) printNote('No browser could be started here.');
  return 0;
}

async function linkOf({ payments, baseUrl }: CliContext, clock: string | undefined) {
  const made = await payments.dashboardSessions.create({ person: 'command line', role: 'support' });
  const url = new URL(new URL(made.url).pathname, baseUrl);
  url.search = `to=sandbox/${clock === undefined ? '' : `clocks/${clock}`}`;
  return { url: url.href, expires_at: made.expires_at };
}

export const workbench: Command = { usage, run };
