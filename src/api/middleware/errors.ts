import type { Logger } from '../../platform/logger.ts';
import { isOutage } from '../../platform/postgres/transaction.ts';
import { withoutSecrets } from '../../platform/redact.ts';
import { BadRequest, type FieldError, ServiceError, Unavailable, ValidationFailed } from '../../services/errors.ts';
import type { Context, Middleware } from '../http/context.ts';
import { sendJson } from '../http/send.ts';

/**
 * Turns whatever went wrong into the error envelope. What is not a ServiceError is logged with its stack, and tells the
 * caller nothing: 503 when the database is away, else 500.
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
        // A child, so that whatever the error's serializer adds stays beside the request's id.
        logger.child({ request_id: requestId })[level]({ err: error, operation: route?.operation }, 'request failed');
      }
      for (const [name, value] of Object.entries(told.headers)) ctx.res.setHeader(name, value);
      sendJson(ctx, statusOf(told, ctx), JSON.stringify({ error: envelope(told, ctx) }));
    }
  };
}

/** Says nothing of its cause. */
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
  // Koa's and the router's own: a path that cannot be decoded, and the like.
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
    message: withoutSecrets(error.message), // it may quote the request, and error bodies end up in logs
    type: error.type,
    code: error.code,
    details: faults.length > 0 ? faults.map(detail) : undefined,
    request_id: ctx.state.requestId,
  };
}

function detail({ code, message, path }: FieldError): FieldError {
  return { code, message: withoutSecrets(message), path: path === undefined ? path : withoutSecrets(path) };
}
