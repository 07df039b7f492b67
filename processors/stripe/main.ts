// `npm run processor:stripe`: the processor service that takes real money, by Stripe.
import { createLogger } from '../../src/platform/logger.ts';
import { openPool } from '../../src/platform/postgres/connection.ts';
import { repeat } from '../../src/platform/repeat.ts';
import { announceReady, onShutdown, orExplain, surviveOutages } from '../../src/processes/lifecycle.ts';
import { openAccounts, resealKeys } from './accounts.ts';
import { readStripeConfig } from './config.ts';
import { referenceOfMandate } from './debits.ts';
import { openNoticeSecrets } from './notice-secrets.ts';
import { openNoticeWriter, sweepNotices } from './notices.ts';
import { ensureSchema } from './schema.ts';
import { createStripeProcessor } from './server.ts';
import { createWebhookDoor } from './webhook-door.ts';

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
const { stripeApiUrl, secret, webhookPort } = config;
if (stripeApiUrl !== null)
  logger.warn({ stripeApiUrl }, 'STRIPE_API_URL is set: this is not Stripe, and takes no money');
const server = createStripeProcessor({
  db,
  accounts: openAccounts(db, config.keys, stripeApiUrl ?? undefined),
  secret,
  logger,
  stripeApiUrl,
});
const door = createWebhookDoor({
  record: openNoticeWriter(db),
  mandates: (place, mandate) => referenceOfMandate(db, place, mandate),
  secrets: openNoticeSecrets(db, config.keys, logger),
  logger,
});
const sweeping = repeat(() => sweepNotices(db), {
  everyMs: 3_600_000,
  onError: (err) => logger.warn({ err }, 'old notices were not deleted; trying again'),
});
onShutdown(async () => {
  const open = webhookPort === null ? [server] : [door, server];
  await Promise.all([sweeping.close(), ...open.map((each) => new Promise((resolve) => each.close(resolve)))]);
  await db.end({ timeout: 5 });
});
if (webhookPort !== null) await new Promise<void>((resolve) => door.listen(webhookPort, '127.0.0.1', resolve));
server.listen(config.port, '127.0.0.1', () => {
  announceReady();
  logger.info({ port: config.port, webhookPort }, 'the processor of Stripe is ready');
});
