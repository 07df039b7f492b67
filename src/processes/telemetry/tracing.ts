import { type Attributes, context, propagation, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { Resource } from '@opentelemetry/resources';
import { BatchSpanProcessor, NodeTracerProvider } from '@opentelemetry/sdk-trace-node';
import type { ClientInterceptors } from '@temporalio/client';
import { OpenTelemetryWorkflowClientInterceptor } from '@temporalio/interceptors-opentelemetry/lib/client/index.js';
import {
  makeWorkflowExporter,
  OpenTelemetryActivityInboundInterceptor,
} from '@temporalio/interceptors-opentelemetry/lib/worker/index.js';
import type { WorkerOptions } from '@temporalio/worker';
import { type SpanDetails, type Tracer, useTracer } from '../../platform/tracing.ts';

const kinds = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

/** The tracing of a process, and what carries traces through Temporal. */
export interface Tracing {
  readonly client: ClientInterceptors;
  readonly worker: Required<Pick<WorkerOptions, 'interceptors' | 'sinks'>>;
  /** Sends the spans that are left. */
  close(): Promise<void>;
}

/**
 * Starts tracing this process. Sends spans to a collector by OTLP over HTTP. `endpoint` is the collector's address,
 * such as http://127.0.0.1:4318. If the collector is away, spans are lost, and nothing else.
 */
export function startTracing(endpoint: string, name: 'api' | 'worker'): Tracing {
  const resource = new Resource({ 'service.name': `payments-${name}` });
  const exporter = new OTLPTraceExporter({ url: `${endpoint}/v1/traces` });
  const processor = new BatchSpanProcessor(exporter, { scheduledDelayMillis: 1_000 });
  const provider = new NodeTracerProvider({ resource, spanProcessors: [processor] });
  provider.register();
  useTracer(createTracer());
  return {
    client: { workflow: [new OpenTelemetryWorkflowClientInterceptor()] },
    worker: {
      interceptors: { activity: [(activity) => ({ inbound: new OpenTelemetryActivityInboundInterceptor(activity) })] },
      sinks: { exporter: makeWorkflowExporter(processor, resource) },
    },
    close: () => provider.shutdown(),
  };
}

function createTracer(): Tracer {
  const tracer = trace.getTracer('payments');
  return {
    run(name, { kind = 'internal', attributes = {}, parent }, work) {
      const options = { kind: kinds[kind], attributes: known(attributes) };
      return tracer.startActiveSpan(name, options, contextOf(parent), async (span) => {
        try {
          return await work();
        } catch (error) {
          // Only the name of the error's class: its message may quote private data.
          const message = error instanceof Error ? error.name : 'failed';
          span.setStatus({ code: SpanStatusCode.ERROR, message });
          throw error;
        } finally {
          span.end();
        }
      });
    },
    annotate(attributes) {
      trace.getActiveSpan()?.setAttributes(known(attributes));
    },
    current() {
      const span = trace.getActiveSpan()?.spanContext();
      if (span === undefined) return null;
      const carrier: { traceparent?: string } = {};
      propagation.inject(context.active(), carrier);
      return carrier.traceparent === undefined ? null : { traceId: span.traceId, traceparent: carrier.traceparent };
    },
  };
}

function contextOf(parent: SpanDetails['parent']) {
  return parent ? propagation.extract(context.active(), { traceparent: parent }) : context.active();
}

function known(attributes: NonNullable<SpanDetails['attributes']>): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}
