import type { IncomingMessage } from 'node:http';
import getRawBody from 'raw-body';
import { BadRequest, PayloadTooLarge } from '../../services/errors.ts';
import type { Context, Middleware } from '../http/context.ts';
import { bodyLimitOf, type Route } from '../http/route.ts';

/**
 * A body costs one token of the key's rate limit per started unit of this size. The request's own token pays for the
 * first.
 */
const bytesPerToken = 16 * 1024;
const none = Buffer.alloc(0);

/**
 * Reads the body's bytes, up to the route's limit, and charges the key for them. If the client sends Content-Length,
 * the charge comes before the read. Parsing comes later, within the key's concurrency limit: a slow sender must not
 * occupy a slot.
 * @throws PayloadTooLarge, RateLimited. BadRequest for a body that is compressed or incomplete.
 */
export function readBody(route: Route): Middleware {
  if (route.method !== 'POST' && route.method !== 'PUT') return (_ctx, next) => next();
  const limit = bodyLimitOf(route).kib * 1024;
  return async (ctx, next) => {
    ctx.state.bytes = await readBytes(ctx, limit);
    return next();
  };
}

async function readBytes(ctx: Context, limit: number): Promise<Buffer> {
  const { headers } = ctx.req;
  if (headers['content-length'] === '0') return none;
  if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return none;
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity') {
    throw new BadRequest('The body is compressed. Send it without Content-Encoding.', 'unsupported_encoding');
  }
  const announced = headers['content-length'] === undefined ? null : Number(headers['content-length']);
  if (announced !== null) {
    if (announced > limit) throw new PayloadTooLarge(limit);
    chargeFor(ctx, announced);
  }
  const bytes = await receive(ctx, limit, announced);
  if (announced === null) chargeFor(ctx, bytes.length);
  return bytes;
}

async function receive(ctx: Context, limit: number, length: number | null): Promise<Buffer> {
  try {
    return await getRawBody(ctx.req, { limit, length });
  } catch (error) {
    if (error instanceof Error && 'type' in error && error.type === 'entity.too.large') {
      throw new PayloadTooLarge(limit);
    }
    throw new BadRequest('The body ended before it was complete.', 'body_incomplete');
  }
}

function chargeFor(ctx: Context, bytes: number): void {
  const further = Math.ceil(bytes / bytesPerToken) - 1;
  if (further > 0) ctx.state.charge?.(further);
}

/** The limit for an unwanted body. A client that sends more ignores the response. */
const droppedAtMost = 1024 * 1024;

/**
 * Reads and drops the rest of a body once the response is decided. Left unread, it would block the connection's next
 * request. Beyond 1 MiB the connection is closed, because endless bodies also cost processor time.
 */
export const dropUnread: Middleware = async (ctx, next) => {
  await next();
  if (!ctx.req.complete) drop(ctx.req);
};

function drop(request: IncomingMessage): void {
  let dropped = 0;
  request.on('data', (chunk: Buffer) => {
    dropped += chunk.length;
    if (dropped > droppedAtMost) request.destroy();
  });
  request.resume();
}
