import type { SchemaNode } from '../validation/describe-schema.ts';

/** The response headers, by name. */
const answerHeaders = {
  'Request-Id': {
    description: 'The id of the request. Quote it when you contact us about the request.',
    schema: { type: 'string', pattern: '^req_[0-9A-Za-z]{32}$' },
  },
  'Idempotent-Replayed': {
    description: 'Present if this is the stored response to the first request with this Idempotency-Key.',
    schema: { type: 'string', const: 'true' },
  },
  'Preference-Applied': {
    description: 'Present if the response may have waited, as `Prefer` asked.',
    schema: { type: 'string', const: 'wait' },
  },
  'RateLimit-Policy': {
    description:
      'For operations that need a key: how many requests the key may send (`q`) in how many seconds (`w`). A ' +
      'body counts as one more request for each 16 KiB that it begins beyond the first. See ' +
      'draft-ietf-httpapi-ratelimit-headers.',
    schema: { type: 'string', pattern: '^"default";q=[0-9]+;w=[0-9]+$' },
    example: '"default";q=1000;w=2',
  },
  RateLimit: {
    description:
      'For operations that need a key: how many requests are left (`r`), and in how many seconds all are ' +
      'available again (`t`). With 429, `t` is for the next one.',
    schema: { type: 'string', pattern: '^"default";r=[0-9]+;t=[0-9]+$' },
    example: '"default";r=998;t=1',
  },
  'Retry-After': {
    description: 'How many seconds to wait before you send the request again.',
    schema: { type: 'string', pattern: '^[0-9]+$' },
  },
  'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string', const: 'Bearer' } },
};

export type AnswerHeader = keyof typeof answerHeaders;

/**
 * Only for 405, which no operation returns. It is no component: the linter reports unreferenced components as unused.
 */
export const allowHeader: SchemaNode = {
  Allow: {
    description: 'The methods that the path supports.',
    schema: { type: 'string' },
    example: 'HEAD, GET, PUT, DELETE, OPTIONS',
  },
};

/** Headers of responses to requests that count against the rate limit: those whose key may call the operation. */
export const rateLimitHeaders: readonly AnswerHeader[] = ['RateLimit-Policy', 'RateLimit'];

/** The headers as components of the document. */
export const headerComponents: Readonly<Record<string, SchemaNode>> = Object.fromEntries(
  Object.entries(answerHeaders).map(([name, header]) => [componentName(name), header]),
);

/** Returns references to these headers, for a response's `headers`. */
export function headers(names: readonly AnswerHeader[]): SchemaNode {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${componentName(name)}` }]));
}

function componentName(header: string): string {
  return header.replaceAll('-', '');
}
