import type { Context } from './context.ts';

/**
 * Responses are data for programs. A browser must not guess their type, cache them, frame them, load them into another
 * site, or send a referrer. Browsers respect Strict-Transport-Security only over TLS, which production uses.
 */
export const securityFields: Readonly<Record<string, string>> = {
  'X-Content-Type-Options': 'nosniff',
  'Cache-Control': 'no-store',
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Strict-Transport-Security': 'max-age=31536000',
};

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
