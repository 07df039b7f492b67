// Where traces begin and go on. Nobody traces unless the runtime has set a tracer: then a step costs a call of a function.

export interface SpanDetails {
  /** What others do for us is a client's span; a request that we answer is a server's. */
  kind?: 'server' | 'client' | 'internal';
  attributes?: Record<string, string | number | undefined>;
  /** A W3C traceparent that it goes on from, in place of the step that is under way here. */
  parent?: string | null;
}

export interface Tracer {
  run<T>(name: string, details: SpanDetails, work: () => Promise<T>): Promise<T>;
  /** Adds to the step that is under way. */
  annotate(attributes: Record<string, string | number | undefined>): void;
  /** The step that is under way: the id of its trace, and the W3C traceparent under which others go on. */
  current(): { traceId: string; traceparent: string } | null;
}

let tracer: Tracer | null = null;

/** From now on the process traces. */
export function useTracer(one: Tracer): void {
  tracer = one;
}

export function isTracing(): boolean {
  return tracer !== null;
}

/** Does the work, as a step of a trace where the process traces. */
export function traced<T>(name: string, details: SpanDetails, work: () => Promise<T>): Promise<T> {
  return tracer === null ? work() : tracer.run(name, details, work);
}

/** Adds to the step that is under way, if any. */
export function annotate(attributes: Record<string, string | number | undefined>): void {
  tracer?.annotate(attributes);
}

/** The step that is under way, or null. */
export function currentTrace(): { traceId: string; traceparent: string } | null {
  return tracer?.current() ?? null;
}
