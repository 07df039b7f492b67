import type { Logger } from '../../platform/logger.ts';
import { isOutage } from '../../platform/postgres/transaction.ts';
import { withoutSecrets } from '../../platform/redact.ts';
import { BadRequest, type FieldError, ServiceError, Unavailable, ValidationFailed } from '../../services/errors.ts';
import type { Context, Middleware } from '../http/context.ts';
import { sendJson } from '../http/send.ts';

/**
 * Turns every error into the error envelope. An error that is not a ServiceError is logged with its stack, and its
 * details are hidden from the client: 503 if the database is not reachable, otherwise 500.
 */
export function errors(logger: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const told = asServiceError(error);
      if (!(error instanceof ServiceError) || error.status >= 500) {
        const level = told.status === 500 ? 'error' : 'warn';
        const { requestId, route } = ctx.state;
        // A child logger keeps the request id apart from the fields that the error's serializer adds.
        logger.child({ request_id: requestId })[level]({ err: error, operation: route?.operation }, 'request failed');
      }
      for (const [name, value] of Object.entries(told.headers)) ctx.res.setHeader(name, value);
      sendJson(ctx, statusOf(told, ctx), JSON.stringify({ error: envelope(told, ctx) }));
    }
  };
}

/** Hides the cause from the client. */
class InternalError extends ServiceError {
  override readonly status = 500;
  override readonly type = 'api_error';

  constructor() {
    super('Something went wrong on our side. The request id names what happened in our logs.', 'internal_error');
  }
}

function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  if (isOutage(error)) return new Unavailable('The service cannot reach its database. Try again in a moment.');
  // Errors from Koa and the router, such as a path that cannot be decoded.
  if (error instanceof Error && 'status' in error && error.status === 400) {
    return new BadRequest('The request cannot be read.');
  }
  return new InternalError();
}

function statusOf(error: ServiceError, ctx: Context): number {
  return error instanceof ValidationFailed ? (ctx.state.route?.invalid ?? error.status) : error.status;
}

function envelope(error: ServiceError, ctx: Context) {
  const faults = error instanceof ValidationFailed || error instanceof BadRequest ? error.faults : [];
  return {
    ...error.extra,
    message: withoutSecrets(error.message), // the message may quote the request, and error bodies end up in logs
    type: error.type,
    code: error.code,
    details: faults.length > 0 ? faults.map(detail) : undefined,
    request_id: ctx.state.requestId,
  };
}

function detail({ code, message, path }: FieldError): FieldError {
  return { code, message: withoutSecrets(message), path: path === undefined ? path : withoutSecrets(path) };
}
