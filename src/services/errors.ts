/**
 * What is wrong with one field of a request. `path` is a JSON pointer into the body, or names a parameter, such as
 * `query/limit`.
 */
export interface FieldError {
  code: string;
  message: string;
  path?: string;
}

/** A response has at most this many field errors. More would not be read. */
export const maxFaults = 100;

export type ErrorType =
  | 'invalid_request_error'
  | 'authentication_error'
  | 'permission_error'
  | 'idempotency_error'
  | 'rate_limit_error'
  | 'api_error';

/** An error that the API reports to the caller. Every other error becomes a 500 without details. */
export abstract class ServiceError extends Error {
  abstract readonly status: number;
  readonly type: ErrorType = 'invalid_request_error';
  readonly code: string | undefined;
  /** Further members of the error object, for programs. */
  readonly extra: Record<string, unknown> = {};
  readonly headers: Record<string, string> = {};

  constructor(message: string, code?: string) {
    super(message);
    this.name = new.target.name;
    this.code = code;
  }
}

/** The body or a parameter breaks a rule. The route decides between 400 and 422. */
export class ValidationFailed extends ServiceError {
  readonly status: number = 422;
  readonly faults: FieldError[];

  constructor(faults: FieldError[], code = 'validation_failed') {
    super(faults.map((fault) => fault.message).join(' ') || 'The request is not valid.', code);
    this.faults = faults;
  }

  /** A single field error. */
  static of(path: string, code: string, message: string): ValidationFailed {
    return new ValidationFailed([{ code, message, path }]);
  }

  /** An id in the body that does not exist for this biller and mode. */
  static missing(path: string, what: string, id: string): ValidationFailed {
    return ValidationFailed.of(path, 'resource_missing', `No such ${what}: ${id}.`);
  }
}

/** The request as a whole cannot be read: malformed JSON, a wrong content type, a bad `limit`. Always 400. */
export class BadRequest extends ServiceError {
  override readonly status = 400;
  readonly faults: FieldError[];

  constructor(message: string, code = 'bad_request', faults: FieldError[] = []) {
    super(message, code);
    this.faults = faults;
  }
}

/** The object does not exist, or belongs to another biller or the other mode. The response does not say which. */
export class NotFound extends ServiceError {
  override readonly status = 404;

  constructor(what: string, id: string) {
    super(`No such ${what}: ${id.slice(0, 80)}.`, 'resource_missing');
  }
}

/** The object's present state does not allow the request. */
export class InvalidState extends ServiceError {
  override readonly status = 422;
  override readonly extra: Record<string, unknown>;

  constructor(message: string, code = 'invalid_state', extra: Record<string, unknown> = {}) {
    super(message, code);
    this.extra = extra;
  }
}

/** The credential is missing, unknown or revoked. */
export class Unauthenticated extends ServiceError {
  override readonly status = 401;
  override readonly type = 'authentication_error';
  override readonly headers = { 'WWW-Authenticate': 'Bearer' };

  constructor(message: string) {
    super(message, 'unauthenticated');
  }
}

/** The credential is valid but does not allow this request. */
export class Forbidden extends ServiceError {
  override readonly status = 403;
  override readonly type = 'permission_error';

  constructor(
    code:
      | 'insufficient_scope'
      | 'secret_key_required'
      | 'sandbox_only'
      | 'client_secret_invalid'
      | 'payment_method_not_allowed',
    message: string,
  ) {
    super(message, code);
  }
}

/** A live charge was requested, but no live processor is configured. Nothing was charged and nothing has changed. */
export class ProcessorNotConfigured extends ServiceError {
  override readonly status = 503;
  override readonly type = 'api_error';

  constructor() {
    super(
      'No payment processor is configured for live mode. Nothing was charged and the payment is as it was.',
      'processor_not_configured',
    );
  }
}

/** What test clocks need from the Temporal server, in words for its operator. */
export const timeSkippingNeeded =
  'Test clocks need a Temporal server (1.32 or newer) with the dynamic configuration ' +
  'frontend.WorkflowTimeSkippingEnabled: true.';

/** The Temporal server cannot skip a workflow's time, so test clocks do not work on it. */
export class TimeSkippingUnavailable extends ServiceError {
  override readonly status = 503;
  override readonly type = 'api_error';

  constructor() {
    super(`${timeSkippingNeeded} Set it on the server and try again.`, 'time_skipping_unavailable');
  }
}

/** No route has this path. */
export class RouteNotFound extends ServiceError {
  override readonly status = 404;

  constructor(method: string, path: string) {
    super(`No such route: ${method} ${path.slice(0, 200)}.`, 'route_not_found');
  }
}

/** The path exists, but not with this method. */
export class MethodNotAllowed extends ServiceError {
  override readonly status = 405;
  override readonly headers: Record<string, string>;

  constructor(method: string, allowed: string[]) {
    super(`${method} is not allowed here. Allowed: ${allowed.join(', ')}.`, 'method_not_allowed');
    this.headers = { Allow: allowed.join(', ') };
  }
}

/** The request names a host that this server does not serve. */
export class Misdirected extends ServiceError {
  override readonly status = 421;

  constructor() {
    super(
      'This server serves its own machine alone. Ask for it as localhost or 127.0.0.1, or set HOST to another address.',
      'misdirected_request',
    );
  }
}

/** The body is larger than allowed. `limit` is in bytes. */
export class PayloadTooLarge extends ServiceError {
  override readonly status = 413;

  constructor(limit: number) {
    super(`The body must be at most ${limit} bytes (${limit / 1024} KiB).`, 'payload_too_large');
  }
}

/** The Idempotency-Key was already used for a different request. */
export class IdempotencyKeyReused extends ServiceError {
  override readonly status = 422;
  override readonly type = 'idempotency_error';

  constructor() {
    super(
      'This Idempotency-Key was used before for a request with another method, path or body. ' +
        'Repeat that request exactly, or take a new key.',
      'idempotency_key_reused',
    );
  }
}

/**
 * The first request with this Idempotency-Key is still running. The same request returns its response a little later.
 */
export class IdempotencyKeyInUse extends ServiceError {
  override readonly status = 409;
  override readonly type = 'idempotency_error';
  override readonly headers = { 'Retry-After': '1' };

  constructor() {
    super(
      'A request with this Idempotency-Key is still running. Repeat it in a second to get its answer.',
      'idempotency_key_in_use',
    );
  }
}

/** The key sends more requests than it may. `retryAfter` is in whole seconds. */
export class RateLimited extends ServiceError {
  override readonly status = 429;
  override readonly type = 'rate_limit_error';
  override readonly headers: Record<string, string>;

  constructor(retryAfter: number) {
    super('Too many requests with this key. Slow down, and repeat this one later.', 'rate_limited');
    this.headers = { 'Retry-After': String(retryAfter) };
  }
}

/** The biller has used up its budget of requested deliveries to one host. `retryAfter` is in whole seconds. */
export class WebhookReplayLimit extends ServiceError {
  override readonly status = 429;
  override readonly type = 'rate_limit_error';
  override readonly headers: Record<string, string>;

  constructor(host: string, perHour: number, retryAfter: number) {
    super(
      `At most ${perHour} deliveries an hour can be asked for at ${host}, by replay, retry and ping. ` +
        'Repeat this after Retry-After.',
      'webhook_replay_limit',
    );
    this.headers = { 'Retry-After': String(retryAfter) };
  }
}

/** A dependency of the service is unreachable or overloaded. The same request may be repeated. */
export class Unavailable extends ServiceError {
  override readonly status = 503;
  override readonly type = 'api_error';
  override readonly extra: Record<string, unknown>;
  override readonly headers = { 'Retry-After': '1' };

  constructor(message: string, extra: Record<string, unknown> = {}) {
    super(message, 'unavailable');
    this.extra = extra;
  }
}
