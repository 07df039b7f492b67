// Tracing. It is off until the runtime sets a tracer; until then a span costs one function call.

export interface SpanDetails {
  /** `client` for a call to another service, `server` for a request that the service handles. */
  kind?: 'server' | 'client' | 'internal';
  attributes?: Record<string, string | number | undefined>;
  /** The W3C traceparent to continue from, instead of the current span. */
  parent?: string | null;
}

export interface Tracer {
  run<T>(name: string, details: SpanDetails, work: () => Promise<T>): Promise<T>;
  /** Adds attributes to the current span. */
  annotate(attributes: Record<string, string | number | undefined>): void;
  /** The current span: its trace id, and its W3C traceparent for others to continue from. */
  current(): { traceId: string; traceparent: string } | null;
}

let tracer: Tracer | null = null;

/** Turns tracing on for this process. */
export function useTracer(one: Tracer): void {
  tracer = one;
}

export function isTracing(): boolean {
  return tracer !== null;
}

/** Runs `work`, in a span if tracing is on. */
export function traced<T>(name: string, details: SpanDetails, work: () => Promise<T>): Promise<T> {
  return tracer === null ? work() : tracer.run(name, details, work);
}

/** Adds attributes to the current span, if there is one. */
export function annotate(attributes: Record<string, string | number | undefined>): void {
  tracer?.annotate(attributes);
}

/** Returns the current span, or null. */
export function currentTrace(): { traceId: string; traceparent: string } | null {
  return tracer?.current() ?? null;
}
