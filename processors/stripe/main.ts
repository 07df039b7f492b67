// `npm run processor:stripe`: the processor service that takes real money, by Stripe.
import { createLogger } from '../../src/platform/logger.ts';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { announceReady, onShutdown, orExplain, surviveOutages } from '../../src/processes/lifecycle.ts';
import { openAccounts, resealKeys } from './accounts.ts';
import { readStripeConfig } from './config.ts';
import { ensureSchema } from './schema.ts';
import { createStripeProcessor } from './server.ts';

const config = await orExplain(() => readStripeConfig(process.env));
const logger = createLogger(config.logLevel, 'processor-stripe');
surviveOutages(logger);
const db = openPool(config.databaseUrl, { max: 10, name: 'processor stripe', acquireTimeoutMs: 5_000 });
await ensureSchema(db);
const { resealed, unopened } = await resealKeys(db, config.keys);
if (resealed > 0)
  logger.info({ accounts: resealed }, 'keys of accounts were sealed anew, with the first encryption key');
// The others work: each call for one of these returns 503.
for (const { message } of unopened) logger.error(message);
const { stripeApiUrl, secret } = config;
if (stripeApiUrl !== null)
  logger.warn({ stripeApiUrl }, 'STRIPE_API_URL is set: this is not Stripe, and takes no money');
const server = createStripeProcessor({
  db,
  accounts: openAccounts(db, config.keys, stripeApiUrl ?? undefined),
  secret,
  logger,
  stripeApiUrl,
});
onShutdown(async () => {
  await new Promise((resolve) => server.close(resolve));
  await db.end({ timeout: 5 });
});
server.listen(config.port, '127.0.0.1', () => {
  announceReady();
  logger.info({ port: config.port }, 'the processor of Stripe is ready');
});
