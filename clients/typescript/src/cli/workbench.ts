import { type CliContext, type Command, exactly, parse, UsageError } from './command.ts';
import { openInBrowser } from './open.ts';
import { print, printJson, printNote } from './terminal.ts';

const usage = `Usage: payments workbench [--clock ID] [--open] [--json]

Prints a link that opens the workbench in a browser: the test clocks of the key's sandbox account, as pages. Anyone who
has the link sees the account and moves its clocks, for one hour, or until the key is revoked.

--clock  the link leads to the page of this clock.
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
    printNote(`It opens the account until ${expires_at}.`);
  }
  if (values.open && !(await openInBrowser(url))) printNote('No browser could be started here.');
  return 0;
}

async function linkOf({ request, baseUrl }: CliContext, clock: string | undefined) {
  const { path, expires_at } = await request<{ path: string; expires_at: string }>({
    method: 'POST',
    path: '/api/v1/test_helpers/workbench_links',
  });
  const base = baseUrl.replace(/\/$/, '');
  return { url: `${base}${path}${clock === undefined ? '' : `clocks/${clock}`}`, expires_at };
}

export const workbench: Command = { usage, run };
