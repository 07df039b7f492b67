import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { Worker, type WorkflowBundle } from '@temporalio/worker';
import { after, before, describe, it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { type LoopbackServer, serveOnLoopback } from '../../lab/loopback-server.ts';
import { realNow } from '../../src/platform/real-time.ts';
import { openTemporal } from '../../src/processes/temporal/client.ts';
import { bundleWorkflows } from '../../src/processes/temporal/workflow-bundle.ts';
import { serverAt, temporalServer, testLogger, workflowBundle } from '../support/temporal.ts';
import { waitsForItsDate } from '../support/waiting-workflow.ts';
import { useReceiver } from '../support/webhooks.ts';
import { useObservedProcesses } from './observed-processes.ts';

interface Span {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  service: string;
  attributes: Record<string, unknown>;
}

interface Exported {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { spans: (Omit<Span, 'service' | 'attributes'> & { attributes: Attribute[] })[] }[];
  }[];
}

interface Attribute {
  key: string;
  value: { stringValue?: string; intValue?: number };
}

/** A collector of OTLP over HTTP in JSON, for the calling `describe`. */
function useCollector() {
  const spans: Span[] = [];
  let server: LoopbackServer | undefined;
  const named = (attributes: Attribute[]) =>
    Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

  before('start the collector', async () => {
    server = await serveOnLoopback(({ method, path, body }, response) => {
      assert.equal(`${method} ${path}`, 'POST /v1/traces');
      for (const { resource, scopeSpans } of (JSON.parse(body) as Exported).resourceSpans) {
        const service = String(named(resource.attributes)['service.name']);
        for (const span of scopeSpans.flatMap((scope) => scope.spans)) {
          spans.push({ ...span, service, attributes: named(span.attributes) });
        }
      }
      response.setHeader('Content-Type', 'application/json').end('{}');
    });
  });
  after('end the collector', () => server?.close());
  return { spans, url: () => server?.url ?? '' };
}

describe('a trace', function () {
  this.timeout(60_000);
  const collector = useCollector();
  const receiver = useReceiver();
  const processes = useObservedProcesses(() => ({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url() }));

  it('leads from the request that activates a plan, by intent, workflow and activity, to the charge and its webhook', async () => {
    const { merchant } = processes;
    // One event: the endpoint has not responded yet, so it has a workflow of its own.
    await merchant.endpoint(receiver.url, ['payment_intent.succeeded']);
    const plan = await merchant.activePlan({ start_date: realNow().toISOString().slice(0, 10) });
    const request = await eventually('the request is told', () =>
      collector.spans.find(({ attributes }) => attributes.operation === 'activatePaymentPlan'),
    );
    const awaited = [
      ...['dispatch outbox entry', 'charge', 'POST webhook'],
      ...['RunActivity:attemptWebhookDelivery', 'RunWorkflow:webhookDelivery'],
    ];
    const trace = await eventually('the webhook and its workflow are told', () => {
      const found = collector.spans.filter(({ traceId }) => traceId === request.traceId);
      // Each process tells its own spans, in its own time.
      return awaited.every((name) => found.some((span) => span.name === name)) && found;
    });
    const one = (name: string) => {
      const found = trace.filter((span) => span.name === name);
      assert.equal(
        found.length > 0,
        true,
        `${name} is not among ${trace
          .map((span) => span.name)
          .sort()
          .join(', ')}`,
      );
      return found;
    };
    assert.equal(request.service, 'payments-api');
    assert.equal(request.attributes.payment_plan_id, plan.id);
    const carriedOut = one('dispatch outbox entry').map(({ attributes }) => attributes.workflow_id);
    assert.ok(carriedOut.includes(`payment-plan/${plan.id}`));
    const [charge] = one('charge');
    assert.deepEqual([charge?.service, charge?.attributes.payment_plan_id], ['payments-worker', plan.id]);
    one('RunActivity:attemptWebhookDelivery');
    const [post] = one('POST webhook');
    const [webhook] = receiver.received;
    assert.equal(post?.attributes.event_id, webhook?.headers['webhook-id']);
    assert.equal(webhook?.headers.traceparent, undefined, 'a receiver is told nothing of our traces');

    // Each goes back to the request, step by step, but for the run of the plan, which lives on and is told when it
    // ends.
    const byId = new Map(trace.map((span) => [span.spanId, span]));
    const untold = trace.filter(
      ({ spanId, parentSpanId }) => spanId !== request.spanId && !byId.has(parentSpanId ?? ''),
    );
    assert.equal(new Set(untold.map(({ parentSpanId }) => parentSpanId)).size <= 1, true, JSON.stringify(untold));
    const settled = processes.lines.find(({ msg, text }) => msg === 'charge completed' && text.includes(plan.id));
    assert.equal(settled?.trace_id, request.traceId, 'the log names the trace');
  });

  it('leaves no mark on what workflows do: a process that does not trace can continue them', async () => {
    const { merchant } = processes;
    const plan = await merchant.activePlan({ start_date: realNow().toISOString().slice(0, 10) });
    const workflowId = `payment-plan/${plan.id}`;
    const temporalAddress = await temporalServer();
    const temporal = openTemporal(serverAt(temporalAddress));
    const history = await waitsForItsDate(temporal, workflowId);
    await temporal.connection.close();
    await Worker.runReplayHistory({ workflowBundle: await workflowBundle() }, history, workflowId);
  });

  it('can begin in the middle: traced workers go on with the runs of those that did not trace', async function () {
    this.timeout(120_000);
    const folder = new URL('../replay/histories/current/', import.meta.url);
    const names = (await readdir(folder)).filter((name) => name.endsWith('.json'));
    assert.ok(names.length >= 10);
    const histories = await Promise.all(
      names.map(async (workflowId) => ({
        workflowId,
        history: JSON.parse(await readFile(new URL(workflowId, folder), 'utf8')) as unknown,
      })),
    );
    const bundle = await bundleWorkflows(testLogger(), { isTraced: true });
    assert.notEqual(bundleCode(bundle), bundleCode(await workflowBundle()));
    const refused: string[] = [];
    for await (const { workflowId, error } of Worker.runReplayHistories({ workflowBundle: bundle }, histories)) {
      if (error !== undefined) refused.push(`${workflowId}: ${error.message}`);
    }
    assert.deepEqual(refused, []);
  });
});

function bundleCode(bundle: WorkflowBundle): string {
  return 'code' in bundle ? bundle.code : '';
}
