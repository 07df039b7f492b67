import type { ErrorDetail, ErrorEnvelope, TestClock } from './generated/models.ts';

type Envelope = ErrorEnvelope['error'];

/** A code of the document, or one that is newer than this client. */
export type ErrorCode = NonNullable<Envelope['code']> | (string & {});

/** Everything that this client throws by itself, apart from the reason of your own AbortSignal. */
export class PaymentsError extends Error {
  override name = 'PaymentsError';
}

/** The service has refused a request. Go by `code`; `message` is for people, and may change. */
export class ApiError extends PaymentsError {
  override name = 'ApiError';
  /** Of HTTP. */
  readonly status: number;
  readonly type: Envelope['type'] | (string & {});
  /** Undefined of an answer that was not the service's own, such as a proxy's. */
  readonly code: ErrorCode | undefined;
  /** Every fault of the request: `validation_failed` has one for each field. */
  readonly details: ErrorDetail[];
  /** Name it when you ask us about the request. */
  readonly requestId: string | undefined;
  readonly method: string;
  readonly path: string;
  /** With `advance_bound_exceeded`: the latest target that one advance of the clock can have. */
  readonly maxFrozenTime: string | undefined;
  /** For how long the service asks to be left alone. */
  readonly retryAfterSeconds: number | undefined;

  constructor(
    envelope: Partial<Envelope>,
    about: Pick<ApiError, 'status' | 'method' | 'path' | 'requestId' | 'retryAfterSeconds'>,
  ) {
    super(envelope.message ?? `The answer has the status ${about.status} and is not the service's own.`);
    this.status = about.status;
    this.type = envelope.type ?? 'api_error';
    this.code = envelope.code;
    this.details = envelope.details ?? [];
    this.requestId = envelope.request_id ?? about.requestId;
    this.method = about.method;
    this.path = about.path;
    this.maxFrozenTime = envelope.max_frozen_time;
    this.retryAfterSeconds = about.retryAfterSeconds;
  }
}

/** No answer came, or not in time, or it broke off. Whether the request had its effect is not known. */
export class ConnectionError extends PaymentsError {
  override name = 'ConnectionError';
}

/** What was posted is not a webhook of ours, was changed on the way, or is too old. */
export class WebhookVerificationError extends PaymentsError {
  override name = 'WebhookVerificationError';
}

/** A test clock did not become ready: it has failed, or it was still `advancing` when the time to wait was up. */
export class TestClockError extends PaymentsError {
  override name = 'TestClockError';
  /** As it was seen last. */
  readonly clock: TestClock;
  /** Why it has failed, in the service's words; null of a clock that has not. */
  readonly failureReason: string | null;

  constructor(message: string, clock: TestClock) {
    super(message);
    this.clock = clock;
    this.failureReason = clock.failure_reason;
  }
}
