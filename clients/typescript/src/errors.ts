import type { ErrorDetail, ErrorEnvelope, TestClock } from './generated/models.ts';

type Envelope = ErrorEnvelope['error'];

/** A code of the OpenAPI document, or a newer one. */
export type ErrorCode = NonNullable<Envelope['code']> | (string & {});

/** The base class of this client's errors. Your AbortSignal's reason is thrown as it is. */
export class PaymentsError extends Error {
  override name = 'PaymentsError';
}

/** The service refused a request. Use `code`; `message` is for people and may change. */
export class ApiError extends PaymentsError {
  override name = 'ApiError';
  /** The HTTP status. */
  readonly status: number;
  readonly type: Envelope['type'] | (string & {});
  /** Undefined if the response did not come from the service, but for example from a proxy. */
  readonly code: ErrorCode | undefined;
  /** Every field error of the request, with `validation_failed`. */
  readonly details: ErrorDetail[];
  /** Quote it when you contact us about the request. */
  readonly requestId: string | undefined;
  readonly method: string;
  readonly path: string;
  /** With `advance_bound_exceeded`: the latest possible target of one advance. */
  readonly maxFrozenTime: string | undefined;
  /** With `mandate_exists`: the mandate of the bank account that has not ended. */
  readonly mandateId: string | undefined;
  /** How long to wait before the next request. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    envelope: Partial<Envelope>,
    about: Pick<ApiError, 'status' | 'method' | 'path' | 'requestId' | 'retryAfterSeconds'>,
  ) {
    super(envelope.message ?? `The response has the status ${about.status} and does not come from the service.`);
    this.status = about.status;
    this.type = envelope.type ?? 'api_error';
    this.code = envelope.code;
    this.details = envelope.details ?? [];
    this.requestId = envelope.request_id ?? about.requestId;
    this.method = about.method;
    this.path = about.path;
    this.maxFrozenTime = envelope.max_frozen_time;
    this.mandateId = envelope.mandate_id;
    this.retryAfterSeconds = about.retryAfterSeconds;
  }
}

/** No complete response came in time. Whether the request took effect is unknown. */
export class ConnectionError extends PaymentsError {
  override name = 'ConnectionError';
}

/** The request is not a webhook of the service, was changed on the way, or is too old. */
export class WebhookVerificationError extends PaymentsError {
  override name = 'WebhookVerificationError';
}

/** A test clock did not become ready: it failed, or was still `advancing` when the time was up. */
export class TestClockError extends PaymentsError {
  override name = 'TestClockError';
  /** The clock as last fetched. */
  readonly clock: TestClock;
  /** Why the clock failed, in the service's words; null if it did not. */
  readonly failureReason: string | null;

  constructor(message: string, clock: TestClock) {
    super(message);
    this.clock = clock;
    this.failureReason = clock.failure_reason;
  }
}
