import type { Logger } from '../../platform/logger.ts';
import { isOutage } from '../../platform/postgres/transaction.ts';
import { withoutSecrets } from '../../platform/redact.ts';
import type { FieldError } from '../../resources/field-errors.ts';
import { BadRequest, ServiceError, Unavailable, ValidationFailed } from '../../services/errors.ts';
import type { Context, Middleware } from '../http/context.ts';
import { sendJson } from '../http/response.ts';

/**
 * Turns every error into the error envelope. An error that is not a ServiceError is logged with its stack, and its
 * details are hidden from the client: 503 if the database is not reachable, otherwise 500. A response that has begun is
 * cut off.
 */
export function errors(logger: Logger): Middleware {
  return async (ctx, next) => {
    try {
      await next();
    } catch (error) {
      const shown = asServiceError(error);
      if (!(error instanceof ServiceError) || error.status >= 500) {
        const level = shown.status === 500 ? 'error' : 'warn';
        const { requestId, route } = ctx.state;
        // A child logger keeps the request id apart from the fields that the error's serializer adds.
        logger.child({ request_id: requestId })[level]({ err: error, operation: route?.operation }, 'request failed');
      }
      // Half of a response, with an envelope after it, could be taken for the whole.
      if (ctx.headerSent) {
        ctx.res.destroy();
        return;
      }
      for (const [name, value] of Object.entries(shown.headers)) ctx.res.setHeader(name, value);
      sendJson(ctx, statusOf(shown, ctx), JSON.stringify({ error: envelope(shown, ctx) }));
    }
  };
}

/** Hides the cause from the client. */
class InternalError extends ServiceError {
  constructor() {
    super('Something went wrong on our side. Contact us with the request id.', 'internal_error');
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
  return {
    ...error.extra,
    message: withoutSecrets(error.message), // the message may quote the request, and error bodies end up in logs
    type: error.type,
    code: error.code,
    details: error.fieldErrors.length > 0 ? error.fieldErrors.map(withoutSecretsIn) : undefined,
    request_id: ctx.state.requestId,
  };
}

function withoutSecretsIn({ code, message, path }: FieldError): FieldError {
  return { code, message: withoutSecrets(message), path: path === undefined ? path : withoutSecrets(path) };
}
