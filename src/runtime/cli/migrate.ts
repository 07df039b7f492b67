// Brings the database of DATABASE_URL up to this version's schema: for production, before the new version is started.
import { migrate } from '../../db/migrate.ts';
import { ConfigError, readConfig } from '../config.ts';
import { print, printError } from '../terminal.ts';

try {
  const { databaseUrl } = readConfig(process.env);
  if (databaseUrl === null) {
    printError(
      'DATABASE_URL is not set: give the URL of the database to migrate. `npm start` migrates its own by itself.',
    );
    process.exitCode = 2;
  } else {
    await migrate(databaseUrl);
    print('The schema is up to date.');
  }
} catch (error) {
  printError(error instanceof ConfigError ? error.message : error);
  process.exitCode = 1;
}
