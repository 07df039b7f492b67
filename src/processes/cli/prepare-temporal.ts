import { Connection } from '@temporalio/client';
import { readConfig } from '../config/config.ts';
import { temporalAddress } from '../temporal/client.ts';
import { ensureNamespace, ensureSearchAttributes } from '../temporal/namespace.ts';
import { defineCommand, refuseMore, UsageError } from './command.ts';

export const command = defineCommand({
  usage: `Usage:
  temporal:prepare

Creates the namespace and the search attributes in the Temporal of TEMPORAL_ADDRESS, where they are missing. Run it before
the first start and with each new version.`,
  options: {},
  async run({ words }) {
    refuseMore(words);
    const config = readConfig(process.env);
    if (config.temporalAddress === null) {
      throw new UsageError('TEMPORAL_ADDRESS is not set. Give host:port of a server; `npm start` prepares its own.');
    }
    const connection = await Connection.connect(temporalAddress(config));
    try {
      await ensureNamespace(connection, config.temporalNamespace);
      await ensureSearchAttributes(connection, config.temporalNamespace);
    } finally {
      await connection.close();
    }
    return `The namespace ${config.temporalNamespace} and its search attributes are ready.`;
  },
});
