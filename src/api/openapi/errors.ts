import Type from 'typebox';
import { exampleId } from '../../domain/ids.ts';
import { Strict } from '../../resources/common.ts';
import { fieldCodes } from '../../resources/field-errors.ts';
import { type ErrorText, type ErrorType, errorCodes } from '../../services/error-codes.ts';
import { bodyLimitOf, type Route } from '../http/route.ts';
import { asNode, type SchemaNode } from '../validation/describe-schema.ts';
import { type AnswerHeader, allowHeader, headers, rateLimitHeaders } from './headers.ts';
import { takesIdempotencyKey } from './parameters.ts';
import type { SchemaBook } from './schemas.ts';

const codes: [string, ErrorText][] = Object.entries(errorCodes);

const errorTypes: Readonly<Record<ErrorType, string>> = {
  invalid_request_error: 'the request is wrong, or does not fit the state of the object',
  authentication_error: 'the key is missing or not valid',
  permission_error: 'the key may not do this',
  idempotency_error: 'the Idempotency-Key belongs to another request, or its first request is still running',
  rate_limit_error: 'too many requests',
  api_error: 'something is wrong on our side',
};

const Detail = Strict(
  {
    code: Type.Enum(Object.keys(fieldCodes), { description: 'For programs. See *Codes of details*.' }),
    message: Type.String({ description: 'For people.' }),
    path: Type.Optional(
      Type.String({
        description:
          'A JSON pointer into the body, such as `/phones/0/raw`; or `query/limit`, `header/Idempotency-TTL`.',
      }),
    ),
  },
  { title: 'ErrorDetail', description: 'What is wrong with one field.' },
);

/** The body of every error response. */
const ErrorEnvelope = Strict(
  {
    error: Strict(
      {
        message: Type.String({ description: 'What is wrong, for people. The words may change. Programs use `code`.' }),
        type: Type.Enum(Object.keys(errorTypes), {
          description: Object.entries(errorTypes)
            .map(([type, meaning]) => `- \`${type}\`: ${meaning}`)
            .join('\n'),
        }),
        code: Type.Optional(
          Type.Enum(Object.keys(errorCodes), { description: 'What is wrong, for programs. See *Codes of errors*.' }),
        ),
        details: Type.Optional(
          Type.Array(Detail, { description: 'Every field error of the request, not only the first.' }),
        ),
        request_id: Type.String({ description: 'The id of the request, as in the `Request-Id` header.' }),
        max_frozen_time: Type.Optional(
          Type.String({
            format: 'date-time',
            description: 'With `advance_bound_exceeded`: the latest possible target of one advance.',
          }),
        ),
        mandate_id: Type.Optional(
          Type.String({ description: 'With `mandate_exists`: the mandate of the bank account that has not ended.' }),
        ),
        missing: Type.Optional(
          Type.Array(Type.String(), { description: 'With `/readyz`: the parts that are not reachable.' }),
        ),
      },
      { title: 'ErrorBody' },
    ),
  },
  { title: 'Error' },
);

interface Kind {
  /** The name among the document's component responses. */
  name: string;
  description: string;
  headers: readonly AnswerHeader[];
}

/** The error responses of operations, by status. */
const kinds: Readonly<Record<number, Kind>> = {
  400: {
    name: 'BadRequest',
    description: 'The request cannot be read, or a parameter or field breaks a rule.',
    headers: rateLimitHeaders,
  },
  401: {
    name: 'Unauthenticated',
    description: 'The API key is missing, unknown or revoked.',
    headers: ['WWW-Authenticate'],
  },
  403: { name: 'Forbidden', description: 'The key is valid, but may not do this.', headers: rateLimitHeaders },
  404: {
    name: 'NotFound',
    description: 'There is no such object for this account and mode. A malformed id returns 404, too.',
    headers: rateLimitHeaders,
  },
  409: {
    name: 'Conflict',
    description: 'The first request with this Idempotency-Key is still running.',
    headers: [...rateLimitHeaders, 'Retry-After'],
  },
  413: {
    name: 'PayloadTooLarge',
    description: 'The body exceeds the limit of the operation.',
    headers: rateLimitHeaders,
  },
  422: {
    name: 'Unprocessable',
    description:
      'A field breaks a rule, the state does not allow the operation, or the Idempotency-Key was used for ' +
      'another request.',
    headers: rateLimitHeaders,
  },
  429: {
    name: 'TooManyRequests',
    description: 'The key has exceeded its rate limit.',
    headers: [...rateLimitHeaders, 'Retry-After'],
  },
  500: { name: 'InternalError', description: 'Something went wrong on our side.', headers: rateLimitHeaders },
  503: {
    name: 'Unavailable',
    description: 'A part that the service depends on is unreachable or overloaded.',
    headers: [...rateLimitHeaders, 'Retry-After'],
  },
};

/** The responses to requests that match no operation, or that fail before routing, by status. Each has one code. */
const unmatched = {
  404: { description: 'No operation has this path.', code: 'route_not_found', headers: {} },
  405: {
    description:
      'The path exists, but not with this method. `Allow` lists its methods. OPTIONS returns 204 with the same ' +
      'header.',
    code: 'method_not_allowed',
    headers: allowHeader,
  },
  408: {
    description: 'The request took too long to arrive. The connection is closed.',
    code: 'request_timeout',
    headers: {},
  },
  421: {
    description: 'The service serves only its own machine. The request named another host.',
    code: 'misdirected_request',
    headers: {},
  },
  431: {
    description: 'The URL and headers are too large, or there are too many headers. The connection is closed.',
    code: 'headers_too_large',
    headers: {},
  },
} as const;
const unmatchedCodes: readonly string[] = Object.values(unmatched).map(({ code }) => code);

/** Returns the error responses that operations refer to, each with an example for every code of its status. */
export function errorResponses(book: SchemaBook): Record<string, SchemaNode> {
  return Object.fromEntries(
    Object.entries(kinds).map(([status, { name, description, headers: names }]) => {
      const fitting = codes.filter(
        ([code, { statuses }]) => statuses.includes(Number(status)) && !unmatchedCodes.includes(code),
      );
      return [name, responseOf(description, headers(names), fitting, book)];
    }),
  );
}

/** Returns the error responses of unmatched requests, by status. OpenAPI has no place for unknown paths and methods. */
export function unmatchedRequests(book: SchemaBook): Record<string, SchemaNode> {
  return Object.fromEntries(
    Object.entries(unmatched).map(([status, { description, code, headers: more }]) => [
      status,
      responseOf(description, more, [[code, errorCodes[code]]], book),
    ]),
  );
}

function responseOf(
  description: string,
  more: SchemaNode,
  fitting: readonly [string, ErrorText][],
  book: SchemaBook,
): SchemaNode {
  const examples = Object.fromEntries(
    fitting.map(([code, text]) => [code, { summary: plain(text.meaning), value: error(code, text) }]),
  );
  return {
    description,
    headers: { ...headers(['Request-Id']), ...more },
    content: { 'application/json': { schema: book.refer(ErrorEnvelope), examples } },
  };
}

/** Returns references to the error responses of a route, by status. */
export function errorsOf(route: Route): Record<string, SchemaNode> {
  const told = new Map(Object.entries({ ...(takesBody(route) ? { 413: tooLarge(route) } : {}), ...route.errors }));
  const statuses = [...new Set([...statusesOf(route), ...told.keys()].map(Number))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const name = kinds[status]?.name;
      if (name === undefined)
        throw new Error(`${route.operation} returns ${status}, which openapi/errors.ts does not describe`);
      const description = told.get(String(status));
      return [status, { $ref: `#/components/responses/${name}`, ...(description ? { description } : {}) }];
    }),
  );
}

/**
 * Returns the statuses that follow from a route's method, path and access. An unknown query parameter is 400
 * everywhere.
 */
function statusesOf(route: Route): number[] {
  const { path, access, invalid } = route;
  return [
    400,
    500,
    ...(access === 'public' ? [] : [401, 403, 429, 503]),
    ...(path.includes(':') ? [404] : []),
    ...(takesBody(route) ? [413, 422, invalid] : []),
    ...(takesIdempotencyKey(route) ? [409] : []),
  ];
}

function takesBody({ method }: Route): boolean {
  return method === 'POST' || method === 'PUT';
}

function tooLarge(route: Route): string {
  const { kib, since } = bodyLimitOf(route);
  return `The body is larger than ${kib} KiB.${since === undefined ? '' : ` The limit is this high because ${since}.`}`;
}

function error(code: string, { type, meaning }: ErrorText): SchemaNode {
  const detail = { code: 'parameter_missing', message: 'name is required, and must be a string.', path: '/name' };
  const extra = {
    validation_failed: { message: detail.message, details: [detail] },
    mandate_exists: { mandate_id: exampleId('mandate') },
    advance_bound_exceeded: { max_frozen_time: '2027-03-04T00:00:00.000Z' },
  };
  return {
    error: {
      message: plain(meaning),
      type,
      code,
      request_id: exampleId('request'),
      ...asNode(Object.entries(extra).find(([name]) => name === code)?.[1]),
    },
  };
}

function plain(text: string): string {
  return text.replaceAll('`', '');
}
