/** The status codes of gRPC that the service distinguishes. https://grpc.io/docs/guides/status-codes */
const codes = {
  1: 'CANCELLED',
  4: 'DEADLINE_EXCEEDED',
  5: 'NOT_FOUND',
  6: 'ALREADY_EXISTS',
  7: 'PERMISSION_DENIED',
  12: 'UNIMPLEMENTED',
  16: 'UNAUTHENTICATED',
} as const;

export type GrpcStatus = (typeof codes)[keyof typeof codes];

const names = new Map<unknown, GrpcStatus>(Object.entries(codes).map(([code, name]) => [Number(code), name]));

/** Returns the status of a failed call. Null for any other error, and for a status that is not distinguished. */
export function grpcStatusOf(error: unknown): GrpcStatus | null {
  if (!(error instanceof Error) || !('code' in error)) return null;
  return names.get(error.code) ?? null;
}

/** Returns what the server wrote about a failed call, or else the error's message. */
export function grpcDetailsOf(error: unknown): string {
  if (error instanceof Error && 'details' in error && typeof error.details === 'string' && error.details !== '') {
    return error.details;
  }
  return error instanceof Error ? error.message : String(error);
}
