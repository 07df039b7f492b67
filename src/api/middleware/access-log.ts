import { idFields, idFieldsOf } from '../../domain/id-fields.ts';
import type { Logger } from '../../platform/logger.ts';
import { annotate, traced } from '../../platform/tracing.ts';
import type { Context, Middleware } from '../http/context.ts';
import type { RequestWatch } from '../http/deps.ts';

/** Matches the id of a created object, which stands at the beginning of the response body. */
const madeId = /^\{(?:"success":true,"payment_method":\{)?"id":"([a-z]{2,3}_(?:sandbox_)?[0-9A-Za-z]{32})"/;

/**
 * Logs one line per completed request. It omits bodies, headers and the URL: they hold secrets and personal data, in
 * encodings that cannot all be listed. The path is logged as the route's template (null if no route matched). Path
 * parameters in the form of an id, and the id of a created object, are separate fields. Health probes are logged at
 * `debug`.
 */
export function accessLog(logger: Logger, watch: RequestWatch | undefined): Middleware {
  // Redaction is off: the line holds only these known fields, and scanning them would cost a fifth of the whole
  // request.
  const log = logger.child({}, { redact: [] });
  return async (ctx, next) => {
    const begun = performance.now();
    watch?.begun();
    await next();
    const ms = performance.now() - begun;
    const { requestId, route, context, key, replayed } = ctx.state;
    watch?.completed({ route: route?.path ?? null, method: ctx.method, status: ctx.status, seconds: ms / 1000 });
    const line = {
      request_id: requestId,
      method: ctx.method,
      route: route?.path ?? null,
      status: ctx.status,
      ms: Math.round(ms * 100) / 100,
      operation: route?.operation,
      biller_id: context?.billerId,
      livemode: context?.livemode,
      key_id: key?.id,
      replayed,
      ...idsOf(ctx),
    };
    if (route?.access === 'public' && ctx.status < 400) log.debug(line, 'request');
    else log.info(line, 'request');
  };
}

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

/** Returns the decoded path parameters. Empty if no route matched. */
function parametersOf(ctx: Context): string[] {
  const params: Readonly<Record<string, string>> = ctx.params ?? {};
  return Object.values(params);
}

function idsOf(ctx: Context): Record<string, string> {
  const ids = idFieldsOf(parametersOf(ctx));
  if (ctx.method !== 'POST' || typeof ctx.body !== 'string') return ids;
  const [, made = null] = madeId.exec(ctx.body) ?? [];
  return { ...ids, ...idFields(made) };
}
