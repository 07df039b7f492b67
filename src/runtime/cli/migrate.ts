// Brings the database of DATABASE_URL up to this version's schema: for production, before the new version is started.
import { migrate } from '../../db/migrate.ts';
import { readConfig } from '../config.ts';

const { databaseUrl } = readConfig(process.env);
if (databaseUrl === null) {
  console.error(
    'DATABASE_URL is not set: give the URL of the database to migrate. `npm start` migrates its own by itself.',
  );
  process.exitCode = 2;
} else {
  await migrate(databaseUrl);
  console.log('The schema is up to date.');
}
