import getRawBody from 'raw-body';
import { Type } from 'typebox';
import { BadRequest, NotFound, PayloadTooLarge, ValidationFailed } from '../../services/errors.ts';
import type { Context, Middleware } from '../context.ts';
import { parseJson, unstorable } from '../json.ts';
import { compileQuery } from '../query.ts';
import type { Route } from '../route.ts';
import { compileChecker, onePerPath } from '../validation.ts';

const maxBodyBytes = 256 * 1024;
const none = Buffer.alloc(0);

/**
 * Reads path, query and body and checks them against the route's schemas, which are compiled here, once. A body that
 * cannot be read, and a bad query, are 400; a body that breaks the schema has the route's status, with all its faults.
 */
export function readInput(route: Route): Middleware {
  const queryOf = compileQuery(route.query ?? Type.Object({}));
  const checkParams = route.params && compileChecker(route.params);
  const takesBody = route.method === 'POST' || route.method === 'PUT';
  const bodySchema = route.body ?? Type.Object({}, { additionalProperties: false });
  const checkBody = compileChecker(bodySchema);

  return async (ctx, next) => {
    const params: Record<string, string> = ctx.params;
    if (unstorable(params, '').length > 0 || checkParams?.(params).length) {
      throw new NotFound('object', Object.values(params).join(', ').replaceAll('\0', ''));
    }
    ctx.state.params = params;
    ctx.state.query = queryOf(ctx.querystring);
    if (takesBody) {
      const bytes = await readBytes(ctx);
      // No body is one without members: the faults then name what is required.
      const body = bytes.length === 0 ? {} : readJson(ctx, bytes);
      // Only an escape, or a number with many digits or an exponent, can hide what cannot be stored.
      const suspicious = bytes.length > 0 && /\\u|\d[eE]|\d{300}/.test(bytes.toString('latin1'));
      const faults = [...(suspicious ? unstorable(body, '') : []), ...checkBody(body)];
      if (faults.length > 0) throw new ValidationFailed(onePerPath(faults));
      ctx.state.bytes = bytes;
      ctx.state.body = route.body ? body : undefined;
    }
    return next();
  };
}

async function readBytes(ctx: Context): Promise<Buffer> {
  const { headers } = ctx.req;
  if (headers['content-length'] === '0') return none;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return none;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new BadRequest(
      'A compressed body is not accepted: send it without Content-Encoding.',
      'unsupported_encoding',
    );
  }
  try {
    return await getRawBody(ctx.req, { limit: maxBodyBytes, length: headers['content-length'] });
  } catch (error) {
    // What still comes is read and dropped: unread, it would stand before the connection's next request.
    ctx.req.resume();
    if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') {
      throw new PayloadTooLarge(maxBodyBytes);
    }
    throw new BadRequest('The body ended before it was complete.', 'body_incomplete');
  }
}

function readJson(ctx: Context, bytes: Buffer): unknown {
  const type = ctx.get('Content-Type');
  if (!/^application\/json *(; *charset="?utf-?8"? *)?$/i.test(type)) {
    throw new BadRequest('The body must be JSON, with Content-Type: application/json.', 'unsupported_content_type');
  }
  return parseJson(bytes);
}
