/** The status codes of gRPC that the service distinguishes. https://grpc.io/docs/guides/status-codes */
const codes = {
  1: 'CANCELLED',
  3: 'INVALID_ARGUMENT',
  4: 'DEADLINE_EXCEEDED',
  5: 'NOT_FOUND',
  6: 'ALREADY_EXISTS',
  7: 'PERMISSION_DENIED',
  8: 'RESOURCE_EXHAUSTED',
  9: 'FAILED_PRECONDITION',
  12: 'UNIMPLEMENTED',
  14: 'UNAVAILABLE',
  16: 'UNAUTHENTICATED',
} as const;

export type GrpcStatus = (typeof codes)[keyof typeof codes];

const names = new Map<unknown, GrpcStatus>(Object.entries(codes).map(([code, name]) => [Number(code), name]));

/** Returns the status of a failed call. Null for any other error, and for a status that is not distinguished. */
export function grpcStatusOf(error: unknown): GrpcStatus | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return names.get(error.code) ?? null;
}

/** The same for a failed call that the client library has wrapped in another error. */
export function grpcStatusInside(error: unknown): GrpcStatus | null {
  return grpcStatusOf(grpcErrorIn(error));
}

/** Returns what the server wrote about a failed call, or else the error's message. */
export function grpcDetailsOf(error: unknown): string {
  if (error instanceof Error && 'details' in error && typeof error.details === 'string' && error.details !== '') {
    return error.details;
  }
  return error instanceof Error ? error.message : String(error);
}

/**
 * Returns why a call to a server failed, for an operator: a clause such as “Temporal is not reachable (connect
 * ECONNREFUSED 127.0.0.1:7233)”. An error that a client library wraps counts as its cause. Other errors keep the first
 * line of their message.
 */
export function describeCallFailure(server: string, error: unknown): string {
  const cause = grpcErrorIn(error);
  const [details = ''] = grpcDetailsOf(cause ?? error).split('\n');
  switch (grpcStatusOf(cause)) {
    case 'UNAVAILABLE': {
      const [reason] = /\b(connect|getaddrinfo|read|write) E?[A-Z_]{4,}( [\w:[\].-]*[\w\]])?/.exec(details) ?? [];
      return `${server} is not reachable${reason === undefined ? '' : ` (${reason})`}`;
    }
    case 'DEADLINE_EXCEEDED':
    case 'CANCELLED':
      return `${server} did not respond in time`;
    case 'RESOURCE_EXHAUSTED':
      return `${server} gets more requests than it takes (${details})`;
    case 'PERMISSION_DENIED':
    case 'UNAUTHENTICATED':
      return `${server} refuses access (${details})`;
    default:
      return details;
  }
}

/** The failed call itself: the error, or the first of its causes that is one. */
function grpcErrorIn(error: unknown): Error | null {
  for (let at: unknown = error; at instanceof Error; at = at.cause) if (grpcStatusOf(at) !== null) return at;
  return null;
}
