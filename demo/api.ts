import { ApiError, PaymentsClient } from '@payments-service/client';
import { safeLine } from '../src/platform/terminal-text.ts';

/**
 * The client that the demo drives the service with. Each request first looks at `signal`, and throws its reason when it has
 * been given; one under way goes on, so that the demo knows what it has made.
 */
export function createApi({ baseUrl, key }: { baseUrl: string; key: string }, signal?: AbortSignal): PaymentsClient {
  const send: typeof fetch = async (input, init) => {
    signal?.throwIfAborted();
    return fetch(input, init);
  };
  return new PaymentsClient({ baseUrl, apiKey: key, fetch: send });
}

/** The refusal that a request is expected to get, or null when it got none; any other error is thrown. */
export async function refusalOf(request: Promise<unknown>): Promise<ApiError | null> {
  try {
    await request;
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}

/** A refusal as the demo shows it. */
export function toldOf({ method, path, status, code, message, details, requestId }: ApiError): string {
  const lines = [`${method} ${path} was answered ${status} ${code ?? ''}: ${message}`];
  for (const detail of details) lines.push(`  ${detail.path ?? ''} ${detail.code}: ${detail.message}`);
  return [...lines, `  ${requestId ?? 'no request id'}`].map(safeLine).join('\n');
}
