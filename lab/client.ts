import { ApiError, type ClientOptions, PaymentsClient } from '@payments-service/client';
import { safeLine } from '../src/platform/terminal.ts';

/** The client of `clients/typescript`. It sends nothing twice: a retry would hide a failure. */
export function clientOf(
  { baseUrl, key }: { baseUrl: string; key: string },
  options: Partial<ClientOptions> = {},
): PaymentsClient {
  return new PaymentsClient({ baseUrl, apiKey: key, maxRetries: 0, ...options });
}

/** A refusal as a program shows it, with every field error. */
export function describeApiError({ method, path, status, code, message, details, requestId }: ApiError): string {
  const lines = [`${method} ${path} returned ${status} ${code ?? ''}: ${message}`];
  for (const detail of details) lines.push(`  ${detail.path ?? ''} ${detail.code}: ${detail.message}`);
  return [...lines, `  ${requestId ?? 'no request id'}`].map(safeLine).join('\n');
}

/** Returns null for a refusal with this code, for `catch`; anything else is thrown on. */
export function unlessRefused(code: string): (error: unknown) => null {
  return (error) => {
    if (error instanceof ApiError && error.code === code) return null;
    throw error;
  };
}

/** The refusal that a request is expected to get, or null if it got none; any other error is thrown. */
export async function refusalOf(request: Promise<unknown>): Promise<ApiError | null> {
  try {
    await request;
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error;
    throw error;
  }
}
