import type { IncomingMessage } from 'node:http';
import type { Middleware } from '../http/context.ts';

/** Of a body that nobody has asked for; a client that sends more is not listening. */
const droppedAtMost = 1024 * 1024;

/**
 * Reads and drops what still comes of a body once the response is decided: unread, it would stand before the connection's next
 * request. Beyond 1 MiB it closes the connection: endless bodies cost processor time too.
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
