import { type CliContext, type Command, exactly, parse, UsageError } from './command.ts';
import { openInBrowser } from './open.ts';
import { print, printJson, printNote } from './terminal.ts';

const roles = ['viewer', 'support', 'finance', 'admin'] as const;
type Role = (typeof roles)[number];

const usage = `Usage: payments dashboard [--role ROLE] [--person NAME] [--minutes N] [--open] [--json]

Makes a session of the dashboard in the key's account and mode, and prints its URL. It opens the dashboard once, within
five minutes. The session lasts an hour, or N minutes (5 to 720), or until the key is revoked.

--role    viewer (the default), support, finance or admin: at most what the key may do.
--person  who it is for: the audit log and the history of a customer name this person. By default "command line".
--open    also opens it in the browser of this machine.`;

async function run(args: string[], connect: () => CliContext): Promise<number> {
  const { values, positionals } = parse(args, {
    role: { type: 'string', default: 'viewer' },
    person: { type: 'string', default: 'command line' },
    minutes: { type: 'string', default: '60' },
    open: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  });
  exactly(positionals);
  const asked = { person: values.person, role: roleIn(values.role), expires_in: minutesIn(values.minutes) * 60 };
  const { payments, baseUrl } = connect();
  const made = await payments.dashboardSessions.create(asked);
  // The API is reachable at the address that this command knows, whatever it is called elsewhere.
  const url = new URL(new URL(made.url).pathname, baseUrl).href;
  const { expires_at } = made;
  if (values.json) printJson({ url, expires_at });
  else {
    print(url);
    printNote(`It works once, within five minutes. The session lasts until ${expires_at}.`);
  }
  if (values.open && !(await openInBrowser(url))) printNote('No browser could be started here.');
  return 0;
}

function roleIn(text: string): Role {
  const role = roles.find((each) => each === text);
  if (role === undefined) throw new UsageError(`--role must be one of ${roles.join(', ')}`);
  return role;
}

function minutesIn(text: string): number {
  const minutes = Number(text);
  if (Number.isInteger(minutes) && minutes >= 5 && minutes <= 720) return minutes;
  throw new UsageError('--minutes must be a whole number from 5 to 720');
}

export const dashboard: Command = { usage, run };
