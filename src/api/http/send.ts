import type { Context } from './context.ts';

/** Answers with a body that is JSON already. */
export function sendJson(ctx: Context, status: number, json: string): void {
  send(ctx, status, json, 'application/json; charset=utf-8');
}

/** Answers with a text of any type. */
export function send(ctx: Context, status: number, text: string, contentType: string): void {
  // Set before the body, or Koa looks into the text to guess its type.
  ctx.res.setHeader('Content-Type', contentType);
  ctx.status = status;
  ctx.body = text;
}
