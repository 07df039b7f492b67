import { idFieldsOf } from '../../domain/id-fields.ts';
import { annotate, traced } from '../../platform/tracing.ts';
import type { Middleware } from '../http/context.ts';
import { parametersOf } from './access-log.ts';

/**
 * Makes each request the beginning of a trace. A `traceparent` of the client's is left alone: strangers do not decide what is
 * traced here, nor under which id.
 */
export const traceRequest: Middleware = (ctx, next) =>
  traced('request', { kind: 'server', attributes: { 'http.request.method': ctx.method } }, async () => {
    await next();
    const { requestId, route } = ctx.state;
    annotate({
      request_id: requestId,
      operation: route?.operation,
      'http.route': route?.path,
      'http.response.status_code': ctx.status,
      ...idFieldsOf(parametersOf(ctx)),
    });
  });
