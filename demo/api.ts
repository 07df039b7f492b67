import { randomUUID } from 'node:crypto';
import type { Manifest } from './rules.ts';

// What the service answers, as far as the demo looks at it. Written by hand, as any client would.

export interface Clock {
  id: string;
  name: string | null;
  status: 'created' | 'advancing' | 'ready' | 'failed';
  frozen_time: string;
  last_advanced_at: string | null;
  failure_reason: string | null;
}

export interface Plan {
  id: string;
  state: string;
  state_reason: string | null;
  collected_amount_cents: number;
  next_payment_date: string | null;
  next_attempt_at: string | null;
  payment_instrument_id: string | null;
}

export interface PlanPayment {
  slot: number;
  due_date: string;
  amount: number | null;
  status: string;
  payment_intent_id: string | null;
  attempts: { number: number; at: string; outcome: string; code: string | null }[];
}

export interface Intent {
  id: string;
  amount: number;
  payment_plan_id: string | null;
  last_payment_error: { code: string } | null;
}

export interface Event {
  id: string;
  event_type: string;
  created_at: string;
  test_clock: string | null;
  sequence: number;
  data: {
    id: string;
    state?: string;
    amount?: number;
    payment_plan_id?: string | null;
    attempt?: number;
    next_attempt_at?: string | null;
    next_payment_date?: string | null;
    collected_amount_cents?: number;
    target_time?: string;
    effects_manifest?: Manifest;
  };
}

export interface Delivery {
  id: string;
  event_id: string;
  event_type: string;
  status: string;
  attempts: { status_code: number | null; error: string | null }[];
  created_at: string;
}

export interface Schedule {
  data: { slot: number; due_date: string; amount: number }[];
  has_more: boolean;
}

interface Envelope {
  message: string;
  type: string;
  code?: string;
  details?: { message: string; path?: string }[];
  request_id?: string;
  max_frozen_time?: string;
}

/** A request that was refused, with the error envelope that says why. */
export class ApiError extends Error {
  override name = 'ApiError';
  readonly status: number;
  readonly error: Envelope;

  constructor(method: string, path: string, status: number, error: Envelope) {
    super(`${method} ${path} was answered ${status}:\n${JSON.stringify({ error }, null, 2)}`);
    this.status = status;
    this.error = error;
  }
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

export type Api = ReturnType<typeof createApi>;

const timeoutMs = 30_000;

/** The calls that the demo makes. Each first looks at `signal`, and throws its reason when it has been given. */
export function createApi({ baseUrl, key }: { baseUrl: string; key: string }, signal?: AbortSignal) {
  async function call<T>(method: string, path: string, body?: object): Promise<T> {
    signal?.throwIfAborted();
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(method === 'POST' ? { 'Idempotency-Key': randomUUID() } : {}),
      },
      body: body === undefined ? null : JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch((cause: unknown) => {
      throw new Error(`${method} ${baseUrl}/api/v1${path} got no answer: ${reasonOf(cause)}`, { cause });
    });
    const text = await response.text();
    if (!response.ok) throw new ApiError(method, path, response.status, envelopeIn(text));
    // The answer is what the demo checks, member by member; until then its type is a hope.
    return JSON.parse(text) as T;
  }

  /** The items of a list, newest first, back to a page where none is wanted any more. */
  async function items<T extends { id: string }>(path: string, wanted: (item: T) => boolean = () => true) {
    const found: T[] = [];
    for (let after = ''; ; ) {
      const page = await call<{ data: T[]; has_more: boolean }>('GET', `${path}?limit=100${after}`);
      found.push(...page.data.filter(wanted));
      const last = page.data.at(-1);
      if (!page.has_more || last === undefined || !page.data.some(wanted)) return found;
      after = `&starting_after=${last.id}`;
    }
  }

  const clocks = '/test_helpers/test_clocks';
  const fixture = (token: string) => ({ type: 'fixture', token, data: '' });
  return {
    createClock: (frozenTime: string, name: string) => call<Clock>('POST', clocks, { frozen_time: frozenTime, name }),
    clocks: () => items<Clock>(clocks),
    clock: (id: string) => call<Clock>('GET', `${clocks}/${id}`),
    advance: (id: string, to: string) =>
      call<Pick<Clock, 'id' | 'status' | 'frozen_time'>>('POST', `${clocks}/${id}/advance`, { frozen_time: to }),
    deleteClock: (id: string) => call<{ deleted: boolean }>('DELETE', `${clocks}/${id}`),

    createCustomer: (name: string, clock: string) =>
      call<{ id: string }>('POST', '/customers', { name, test_clock: clock }),
    intents: (customer: string) => items<Intent>(`/customers/${customer}/payment_intents`),
    saveCard: async (customer: string, token: string) => {
      const data = { expiry_month: 12, expiry_year: 2034, token_metadata: fixture(token) };
      const body = { type: 'card', payment_method_data: data, customer_reference: customer };
      return (await call<{ payment_method: { id: string } }>('POST', '/payment_methods', body)).payment_method.id;
    },

    createPlan: (body: object) => call<Plan>('POST', '/payment_plans', body),
    plan: (id: string) => call<Plan>('GET', `/payment_plans/${id}`),
    updatePlan: (id: string, body: object) => call<Plan>('PUT', `/payment_plans/${id}`, body),
    movePlan: (id: string, transition: 'activate' | 'resume') =>
      call<Plan>('POST', `/payment_plans/${id}/${transition}`),
    payments: async (id: string) =>
      (await call<{ data: PlanPayment[] }>('GET', `/payment_plans/${id}/payments?limit=100`)).data,
    schedule: (id: string, count: number) => call<Schedule>('GET', `/payment_plans/${id}/schedule?count=${count}`),

    createEndpoint: (url: string, description: string) =>
      call<{ id: string; secret: string }>('POST', '/webhook_endpoints', { url, description }),
    disableEndpoint: (id: string) => call<object>('PUT', `/webhook_endpoints/${id}`, { status: 'disabled' }),
    deleteEndpoint: (id: string) => call<{ deleted: boolean }>('DELETE', `/webhook_endpoints/${id}`),
    deliveries: (endpoint: string) => items<Delivery>(`/webhook_endpoints/${endpoint}/deliveries`),
    /** Those of every clock and none, with this sequence number and later ones. */
    eventsSince: (sequence: number) => items<Event>('/events', (event) => event.sequence >= sequence),
  };
}

function envelopeIn(text: string): Envelope {
  try {
    const { error } = JSON.parse(text) as { error?: Envelope };
    if (error !== undefined) return error;
  } catch {
    // Not JSON: then it is not the service that answered, and its words are all there is to show.
  }
  return { message: text.slice(0, 500), type: 'no error envelope' };
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? error.cause.message : error.message;
}
