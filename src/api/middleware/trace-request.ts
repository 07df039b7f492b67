import { idFieldsOf } from '../../domain/id-fields.ts';
import { annotate, traced } from '../../platform/tracing.ts';
import type { Middleware } from '../http/context.ts';
import { parametersOf } from './access-log.ts';

/**
 * Starts a new trace for each request. The client's `traceparent` is ignored: clients must not decide what is traced,
 * or under which id.
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
