import type { IncomingMessage } from 'node:http';
import type { Middleware } from '../http/context.ts';

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
