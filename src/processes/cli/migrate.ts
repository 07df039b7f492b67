// Brings the database of DATABASE_URL up to this version's schema. In production, run it before the new version starts.
import { parseArgs } from 'node:util';
import { migrate } from '../../db/migrate.ts';
import { print, printError } from '../../platform/terminal.ts';
import { ConfigError, readConfig } from '../config/config.ts';

const usage = `Usage: migrate [--grant-to ROLE]

Run it as the owner of the tables. --grant-to gives the role that the service runs as its rights to them, and no others: with
each new version anew, since that one may have new tables.`;

try {
  const { values } = parseArgs({ options: { 'grant-to': { type: 'string' }, help: { type: 'boolean', short: 'h' } } });
  const { databaseUrl } = readConfig(process.env);
  if (values.help) {
    print(usage);
  } else if (databaseUrl === null) {
    printError(
      'DATABASE_URL is not set: give the URL of the database to migrate. `npm start` migrates its own by itself.',
    );
    process.exitCode = 2;
  } else {
    const grantTo = values['grant-to'] ?? null;
    await migrate(databaseUrl, { grantTo });
    print(`The schema is up to date${grantTo === null ? '' : `, and ${grantTo} has its rights`}.`);
  }
} catch (error) {
  printError(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
