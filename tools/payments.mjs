// `npm run payments -- COMMAND`: the commands of operators, which work on the database and on Temporal
// (src/processes/cli), and those of a biller's developers, which use the API with a key (clients/typescript/src/cli).
// `processors` belongs to the processor services (processors/), each with its accounts.
// The client package has the latter alone, as the program `payments`. An image of the service has the former alone.
import { existsSync } from 'node:fs';

const client = new URL('../clients/typescript/src/cli/', import.meta.url);
const [, , word] = process.argv;
const { commands } = existsSync(client) ? await import(new URL('commands.ts', client).href) : { commands: {} };

if (word === 'processors') {
  await import('../processors/stripe/command-line.ts');
} else if (word !== undefined && Object.hasOwn(commands, word)) {
  await import(new URL('main.ts', client).href);
} else {
  await import('../src/processes/cli/main.ts');
  if (word === undefined || ['help', '--help', '-h'].includes(word)) {
    const lines = Object.entries(commands).map(([name, { summary }]) => `  ${name.padEnd(18)}  ${summary}`);
    const processors = `  ${'processors'.padEnd(18)}  the Stripe accounts of billers: add, verify, rotate, disable, list`;
    const text = ['', 'For processor services (processors/):', '', processors, '', 'For developers of a biller, by the API and a key:', '', ...lines].join('\n');
    (word === undefined ? console.error : console.log)(text);
  }
}
