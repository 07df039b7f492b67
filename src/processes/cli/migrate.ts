import { migrate } from '../../db/migrate.ts';
import { readConfig } from '../config/config.ts';
import { defineCommand, refuseMore, UsageError } from './command.ts';

export const command = defineCommand({
  usage: `Usage:
  migrate [--grant-to ROLE]

Brings the database of DATABASE_URL up to this version's schema. Run it as the owner of the tables, before the new version
starts. --grant-to gives the role of the service its rights to the tables, and no others. Repeat it with each new version,
which may have new tables.`,
  options: { 'grant-to': { type: 'string' } },
  async run({ values, words }) {
    refuseMore(words);
    const { databaseUrl } = readConfig(process.env);
    if (databaseUrl === null) {
      throw new UsageError('DATABASE_URL is not set. Give the URL of the database; `npm start` migrates its own.');
    }
    const grantTo = values['grant-to'] ?? null;
    await migrate(databaseUrl, { grantTo });
    return `The schema is up to date${grantTo === null ? '' : `, and ${grantTo} has its rights`}.`;
  },
});
