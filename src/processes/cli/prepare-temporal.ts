// Creates the namespace and the search attributes in the Temporal of TEMPORAL_ADDRESS. In production, run it before the
// first start and with each new version.
import { Connection } from '@temporalio/client';
import { print, printError } from '../../platform/terminal.ts';
import { ConfigError, readConfig } from '../config/config.ts';
import { temporalAddress } from '../temporal/client.ts';
import { ensureNamespace, ensureSearchAttributes } from '../temporal/namespace.ts';

try {
  const config = readConfig(process.env);
  if (config.temporalAddress === null) {
    printError(
      'TEMPORAL_ADDRESS is not set: give the host:port of a Temporal server. `npm start` prepares its own by itself.',
    );
    process.exitCode = 2;
  } else {
    const connection = await Connection.connect(temporalAddress(config));
    try {
      await ensureNamespace(connection, config.temporalNamespace);
      await ensureSearchAttributes(connection, config.temporalNamespace);
      print(`The namespace ${config.temporalNamespace} and its search attributes are there.`);
    } finally {
      await connection.close();
    }
  }
} catch (error) {
  printError(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
