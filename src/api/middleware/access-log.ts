import { idFields, idFieldsOf } from '../../domain/id-fields.ts';
import type { Logger } from '../../platform/logger.ts';
import type { Context, Middleware } from '../http/context.ts';
import type { RequestWatch } from '../http/request-watch.ts';

/** The id of what a POST has made, where answers have it: at their beginning. */
const madeId = /^\{(?:"success":true,"payment_method":\{)?"id":"([a-z]{2,3}_(?:sandbox_)?[0-9A-Za-z]{32})"/;

/**
 * One line for each answered request. Neither bodies nor headers nor the URL are in it: they hold secrets and personal data,
 * encoded in ways that nobody can list. The path is logged as the template of its route (null where there is none); its
 * parameters are fields of their own where they have the form of an id, as is the id of what was made. Answers to health
 * probes are at `debug`.
 */
export function accessLog(logger: Logger, watch: RequestWatch | undefined): Middleware {
  // Looking for secrets in a line that is made of these members alone would cost a fifth of the whole request.
  const log = logger.child({}, { redact: [] });
  return async (ctx, next) => {
    const begun = performance.now();
    watch?.begun();
    await next();
    const ms = performance.now() - begun;
    const { requestId, route, call, key, replayed } = ctx.state;
    watch?.answered({ route: route?.path ?? null, method: ctx.method, status: ctx.status, seconds: ms / 1000 });
    const line = {
      request_id: requestId,
      method: ctx.method,
      route: route?.path ?? null,
      status: ctx.status,
      ms: Math.round(ms * 100) / 100,
      operation: route?.operation,
      biller_id: call?.billerId,
      livemode: call?.livemode,
      key_id: key?.id,
      replayed,
      ...idsOf(ctx),
    };
    if (route?.access === 'public' && ctx.status < 400) log.debug(line, 'request');
    else log.info(line, 'request');
  };
}

/** The parameters that the route has found in the path, decoded; none where there is no route. */
export function parametersOf(ctx: Context): string[] {
  const params: Readonly<Record<string, string>> = ctx.params ?? {};
  return Object.values(params);
}

function idsOf(ctx: Context): Record<string, string> {
  const ids = idFieldsOf(parametersOf(ctx));
  if (ctx.method !== 'POST' || typeof ctx.body !== 'string') return ids;
  const [, made = null] = madeId.exec(ctx.body) ?? [];
  return { ...ids, ...idFields(made) };
}
