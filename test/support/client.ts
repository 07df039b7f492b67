import { type ClientOptions, PaymentsClient } from '@payments-service/client';
import { assertMatchesDocument } from './openapi.ts';

/** `fetch` that compares each response with the OpenAPI document. */
export const checkedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  const { pathname, search } = new URL(input instanceof Request ? input.url : input);
  const isJson = response.headers.get('Content-Type')?.startsWith('application/json') === true;
  const body = isJson ? await response.clone().json() : undefined;
  assertMatchesDocument(init?.method ?? 'GET', pathname + search, response.status, body);
  return response;
};

/**
 * The client of `clients/typescript`. Each response is compared with the OpenAPI document. It sends nothing twice
 * unless its options say so: a retry would hide a failure.
 */
export function checkedClient(url: string, key: string, options: Partial<ClientOptions> = {}): PaymentsClient {
  return new PaymentsClient({ baseUrl: url, apiKey: key, maxRetries: 0, fetch: checkedFetch, ...options });
}
