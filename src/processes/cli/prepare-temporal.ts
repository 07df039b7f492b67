import { Connection } from '@temporalio/client';
import { addressOf } from '../temporal/client.ts';
import { ensureNamespace, ensureSearchAttributes } from '../temporal/namespace.ts';
import { defineCommand, refuseMore, UsageError } from './command.ts';
import { readRunningConfig } from './context.ts';

export const command = defineCommand({
  usage: `Usage:
  temporal:prepare

Creates the namespace and the search attributes in the Temporal of TEMPORAL_ADDRESS, where they are missing, and in that of
the sandbox if it has its own (SANDBOX_TEMPORAL_...). Without TEMPORAL_ADDRESS it is that of the service that npm start runs
from DATA_DIR. Run it before the first start and with each new version.`,
  options: {},
  async run({ words }) {
    refuseMore(words);
    const { temporal, sandboxTemporal } = (await readRunningConfig(process.env)).config;
    if (temporal.address === null) {
      throw new UsageError(
        'TEMPORAL_ADDRESS is not set, and no service runs from DATA_DIR. Give host:port of a server; `npm start` prepares its own.',
      );
    }
    const servers = sandboxTemporal === null ? [temporal] : [temporal, sandboxTemporal];
    for (const server of servers) {
      const connection = await Connection.connect(addressOf(server));
      try {
        await ensureNamespace(connection, server.namespace);
        await ensureSearchAttributes(connection, server.namespace);
      } finally {
        await connection.close();
      }
    }
    const names = servers.map(({ namespace }) => namespace);
    return names.length === 1
      ? `The namespace ${names[0]} and its search attributes are ready.`
      : `The namespaces ${names.join(' and ')} and their search attributes are ready.`;
  },
});
