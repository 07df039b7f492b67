import type { Context } from './context.ts';

/** Responds with text that is already JSON. */
export function sendJson(ctx: Context, status: number, json: string): void {
  send(ctx, status, json, 'application/json; charset=utf-8');
}

/** Responds with text of the given content type. */
export function send(ctx: Context, status: number, text: string, contentType: string): void {
  // Must come before the body: otherwise Koa inspects the text to guess its type.
  ctx.res.setHeader('Content-Type', contentType);
  ctx.status = status;
  ctx.body = text;
}
