export { PaymentsClient } from './client.ts';
export {
  ApiError,
  ConnectionError,
  type ErrorCode,
  PaymentsError,
  TestClockError,
  WebhookVerificationError,
} from './errors.ts';
export type * from './generated/models.ts';
export { apiVersion } from './generated/resources.ts';
export type { Listing } from './listing.ts';
export type { ClientOptions, RequestOptions, WaitOptions, WriteOptions } from './options.ts';
export type { ClockWait } from './test-clocks.ts';
export { signWebhook, verifyWebhook, type WebhookHeaders } from './webhooks.ts';
