import { withoutSecrets } from '../../domain/secrets.ts';
import type { Logger } from '../../runtime/logger.ts';
import type { Middleware } from '../context.ts';

/**
 * One line for each answered request. Neither bodies nor headers nor the query string are in it: they hold secrets and
 * personal data. A secret that somebody puts into the path by mistake is cut out. Answers to health probes are at `debug`.
 */
export function accessLog(logger: Logger): Middleware {
  // Looking for secrets in a line that is made of these members alone would cost a fifth of the whole request.
  const log = logger.child({}, { redact: [] });
  return async (ctx, next) => {
    const begun = performance.now();
    await next();
    const { requestId, route, call, key, replayed } = ctx.state;
    const line = {
      request_id: requestId,
      method: ctx.method,
      path: withoutSecrets(ctx.path.slice(0, 200)),
      status: ctx.status,
      ms: Math.round((performance.now() - begun) * 100) / 100,
      operation: route?.operation,
      biller_id: call?.billerId,
      livemode: call?.livemode,
      key_id: key?.id,
      replayed,
    };
    if (route?.access === 'public' && ctx.status < 400) log.debug(line, 'request');
    else log.info(line, 'request');
  };
}
