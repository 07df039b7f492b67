import type { OutcomeUnknown } from '../processors/processor.ts';
import { type FieldCode, type FieldError, fieldError } from '../resources/field-errors.ts';
import { type CodeOfStatus, type ErrorCode, type ErrorType, errorCodes } from './error-codes.ts';

interface Details {
  /** The HTTP status. The default is the first of the code. */
  status?: number;
  fieldErrors?: readonly FieldError[];
  /** Further members of the error object, for programs. */
  extra?: Record<string, unknown>;
  headers?: Record<string, string>;
}

/** An error that the API reports to the caller. Every other error becomes a 500 without details. */
export abstract class ServiceError extends Error implements Required<Details> {
  readonly code: ErrorCode;
  readonly type: ErrorType;
  readonly status: number;
  readonly fieldErrors: readonly FieldError[];
  readonly extra: Record<string, unknown>;
  readonly headers: Record<string, string>;

  constructor(message: string, code: ErrorCode, { status, fieldErrors = [], extra = {}, headers = {} }: Details = {}) {
    super(message);
    this.name = new.target.name;
    this.code = code;
    this.type = errorCodes[code].type;
    this.status = status ?? errorCodes[code].statuses[0];
    this.fieldErrors = fieldErrors;
    this.extra = extra;
    this.headers = headers;
  }
}

/** The body breaks a rule. The route decides between 400 and 422. */
export class ValidationFailed extends ServiceError {
  constructor(fieldErrors: readonly FieldError[], code: CodeOfStatus<400 | 422> = 'validation_failed') {
    super(inWords(fieldErrors), code, { status: 422, fieldErrors });
  }

  /** A single field error. */
  static of(path: string, code: FieldCode, message: string): ValidationFailed {
    return new ValidationFailed([fieldError(path, code, message)]);
  }

  /** An id in the body that does not exist for this biller and mode. */
  static missing(path: string, what: string, id: string): ValidationFailed {
    return new ValidationFailed([missingReference(path, what, id)]);
  }
}

/** The error of a field that refers to an object that does not exist for this biller and mode. */
export function missingReference(path: string, what: string, id: string): FieldError {
  return fieldError(path, 'resource_missing', `No such ${what}: ${id}.`);
}

/** @throws ValidationFailed with these field errors, if there are any. */
export function assertNoErrors(fieldErrors: readonly FieldError[]): void {
  if (fieldErrors.length > 0) throw new ValidationFailed(fieldErrors);
}

/** The request as a whole cannot be read: malformed JSON, a wrong content type. Always 400. */
export class BadRequest extends ServiceError {
  constructor(message: string, code: CodeOfStatus<400> = 'bad_request', fieldErrors: readonly FieldError[] = []) {
    super(message, code, { status: 400, fieldErrors });
  }
}

/** A query parameter or a header breaks a rule. The paths begin with `query` or `header`. Always 400. */
export class BadParameters extends BadRequest {
  constructor(fieldErrors: readonly FieldError[], code: CodeOfStatus<400> = 'validation_failed') {
    super(inWords(fieldErrors), code, fieldErrors);
  }
}

function inWords(fieldErrors: readonly FieldError[]): string {
  return fieldErrors.map(({ message }) => message).join(' ');
}

/** The object does not exist, or belongs to another biller or the other mode. The response does not say which. */
export class NotFound extends ServiceError {
  constructor(what: string, id: string) {
    super(`No such ${what}: ${id.slice(0, 80)}.`, 'resource_missing');
  }
}

/** Returns what was looked for. @throws NotFound if there is none. */
export function orNotFound<T>(found: T | null, what: string, id: string): T {
  if (found === null) throw new NotFound(what, id);
  return found;
}

/** The object's present state does not allow the request. */
export class InvalidState extends ServiceError {
  constructor(message: string, code: CodeOfStatus<422> = 'invalid_state', extra: Record<string, unknown> = {}) {
    super(message, code, { extra });
  }
}

/** The credential is missing, unknown or revoked. `challenge` says how to authenticate. */
export class Unauthenticated extends ServiceError {
  constructor(message: string, challenge = 'Bearer') {
    super(message, 'unauthenticated', { headers: { 'WWW-Authenticate': challenge } });
  }
}

/** The credential is valid but does not allow this request. */
export class Forbidden extends ServiceError {
  constructor(code: CodeOfStatus<403>, message: string) {
    super(message, code);
  }
}

/** A live charge was requested, but no live processor is configured. Nothing was charged and nothing has changed. */
export class ProcessorNotConfigured extends ServiceError {
  constructor() {
    super(
      'No payment processor is configured for live mode. Nothing was charged, and the payment has not changed.',
      'processor_not_configured',
    );
  }
}

/** What test clocks need from the Temporal server, in words for its operator. */
export const timeSkippingNeeded =
  'Test clocks need a Temporal server (1.32 or newer) with the dynamic configuration ' +
  'frontend.WorkflowTimeSkippingEnabled: true (from 1.33 on system.workflowTimeSkippingEnabled).';

/** The Temporal server cannot skip a workflow's time, so test clocks do not work on it. */
export class TimeSkippingUnavailable extends ServiceError {
  constructor() {
    super(`${timeSkippingNeeded} Set it on the server and try again.`, 'time_skipping_unavailable');
  }
}

/** No route has this path. */
export class RouteNotFound extends ServiceError {
  constructor(method: string, path: string) {
    super(`No such route: ${method} ${path.slice(0, 200)}.`, 'route_not_found');
  }
}

/** The path exists, but not with this method. */
export class MethodNotAllowed extends ServiceError {
  constructor(method: string, allowed: string[]) {
    const list = allowed.join(', ');
    super(`${method} is not allowed here. Allowed: ${list}.`, 'method_not_allowed', { headers: { Allow: list } });
  }
}

/** The request names a host that this server does not serve. */
export class Misdirected extends ServiceError {
  constructor() {
    super(
      'This server accepts requests from its own machine only. Use localhost or 127.0.0.1, or set HOST to another address.',
      'misdirected_request',
    );
  }
}

/** The body is larger than allowed. `limit` is in bytes. */
export class PayloadTooLarge extends ServiceError {
  constructor(limit: number) {
    super(`The body must be at most ${limit} bytes (${limit / 1024} KiB).`, 'payload_too_large');
  }
}

/** The Idempotency-Key was already used for a different request. */
export class IdempotencyKeyReused extends ServiceError {
  constructor() {
    super(
      'This Idempotency-Key was used before for a request with another method, path or body. ' +
        'Repeat that request exactly, or use a new key.',
      'idempotency_key_reused',
    );
  }
}

/**
 * The first request with this Idempotency-Key is still running. The same request returns its response a little later.
 */
export class IdempotencyKeyInUse extends ServiceError {
  constructor() {
    super(
      'A request with this Idempotency-Key is still running. Repeat it in a second to get its response.',
      'idempotency_key_in_use',
      { headers: { 'Retry-After': '1' } },
    );
  }
}

/** The key sends more requests than it may. `retryAfter` is in whole seconds. */
export class RateLimited extends ServiceError {
  constructor(retryAfter: number) {
    super('Too many requests with this key. Slow down, and repeat this request after Retry-After.', 'rate_limited', {
      headers: { 'Retry-After': String(retryAfter) },
    });
  }
}

/** Too many payments that were confirmed with a publishable key have failed. `retryAfter` is in whole seconds. */
export class TooManyFailures extends ServiceError {
  constructor(retryAfter: number) {
    super(
      'Too many payments with this publishable key have failed in this minute. Repeat this request after Retry-After, ' +
        'or confirm from your server with a secret key.',
      'rate_limited',
      { headers: { 'Retry-After': String(retryAfter) } },
    );
  }
}

/** As many reports are being read as may be at a time: of the biller, or of all billers in this process. */
export class TooManyReports extends ServiceError {
  constructor() {
    super('Too many reports are being read. Repeat this request after Retry-After.', 'rate_limited', {
      headers: { 'Retry-After': '5' },
    });
  }
}

/** The biller has used up its budget of requested deliveries to one host. `retryAfter` is in whole seconds. */
export class WebhookReplayLimit extends ServiceError {
  constructor(host: string, perHour: number, retryAfter: number) {
    super(
      `At most ${perHour} deliveries per hour can be requested at ${host}, by replay, retry and ping. ` +
        'Repeat this request after Retry-After.',
      'webhook_replay_limit',
      { headers: { 'Retry-After': String(retryAfter) } },
    );
  }
}

/**
 * A dependency of the service is unreachable or overloaded. The same request may be repeated. `retryAfter` is in whole
 * seconds.
 */
export class Unavailable extends ServiceError {
  constructor(message: string, extra: Record<string, unknown> = {}, retryAfter = 1) {
    super(message, 'unavailable', { extra, headers: { 'Retry-After': String(retryAfter) } });
  }
}

/**
 * The processor gave no outcome. The payment or refund stays `processing`, and the processor is asked again under the
 * same key: by a repetition of the request, by the workflow, or by housekeeping.
 */
export class ProcessorUnavailable extends Unavailable {
  override readonly cause: OutcomeUnknown;

  constructor(what: 'payment' | 'refund', cause: OutcomeUnknown) {
    const message =
      `The payment processor has given no outcome yet. The ${what} stays processing, and the processor is asked again. ` +
      'Repeat this request with its Idempotency-Key, or wait for the webhook.';
    super(message, {}, Math.max(1, Math.ceil((cause.retryAfterMs ?? 0) / 1000)));
    this.cause = cause;
  }
}
