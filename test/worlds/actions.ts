import { addAccountOf, addCardOf, type Built, collectionOf, customerName, subjectName, withIds } from './build.ts';
import type { Names } from './names.ts';
import { confirmAsPayer, pay } from './pay.ts';
import { type Account, type Answer, Refused } from './place.ts';
import type { Action, Terms, World } from './world.ts';

/** What is asked, and what has come of it. */
export interface Done {
  what: string;
  /** The subject, or the customer. */
  of: string;
  answer: Answer;
}

interface Scene {
  account: Account;
  built: Built;
  world: World;
  names: Names;
}

/** Does what a biller or payer does. Refusals are values: they must be the same whichever way the clock was moved. */
export async function act(scene: Scene, action: Action): Promise<Done> {
  const customer = customerName(action.customer);
  const name = action.subject === undefined ? customer : subjectName(scene.world, action.customer, action.subject);
  const what = `${action.do} ${name}`;
  const id = scene.built.ids.get(name);
  if (id === undefined) return { what, of: name, answer: { status: 0, body: `there is no ${name}` } };
  const perform = ofCustomers[action.do] ?? ofPayers[action.do] ?? ofPayments[action.do] ?? ofSubjects;
  const answer = await perform({ ...scene, action, customer, id }).catch((error: unknown) => {
    if (error instanceof Refused) return error.answer;
    throw error;
  });
  return { what, of: name, answer };
}

interface Performing extends Scene {
  action: Action;
  customer: string;
  id: string;
}
type Perform = (performing: Performing) => Promise<Answer>;

/** A POST to the subject: `pause`, `cancel`, `suspend` and the like; `update` is a PUT. */
const ofSubjects: Perform = async ({ account, built, world, action, customer, id }) => {
  const kind = world.customers[action.customer - 1]?.subjects[(action.subject ?? 0) - 1]?.kind ?? 'plan';
  const path = `/${collectionOf(kind)}/${id}`;
  const body =
    action.body === undefined
      ? undefined
      : await withLaterEnd(account, path, withIds(action.body, built.ids, customer, world));
  return action.do === 'update' ? account.ask('PUT', path, body) : account.ask('POST', `${path}/${action.do}`, body);
};

/** The body with the day on which the next period of a subscription ends, where it says so. */
async function withLaterEnd(account: Account, path: string, body: Terms): Promise<Terms> {
  const field = Object.keys(body).find((name) => body[name] === 'a later end');
  if (field === undefined) return body;
  const { body: schedule } = await account.ask('GET', `${path}/schedule?count=2`);
  const [next, afterNext] = schedule?.data ?? [];
  return { ...body, [field]: (afterNext ?? next)?.start ?? '2030-01-01' };
}

const ofCustomers: Record<string, Perform> = {
  delete: ({ account, id }) => account.ask('DELETE', `/customers/${id}`),
  'detach card': (performing) => detach(performing, 'card'),
  'detach account': (performing) => detach(performing, 'account'),
  'cancel mandate': ({ account, built, customer }) =>
    account.ask('POST', `/mandates/${built.ids.get(`${customer}/mandate`)}/cancel`, {}),
  'payer cancels mandate': ({ account, built, customer }) =>
    account.ask('POST', `/test_helpers/mandates/${built.ids.get(`${customer}/mandate`)}/payer_cancels`),
  /** The new card replaces the old one in this world: `card` is the new one from now on. */
  async 'new card'({ account, built, names, action, customer, id }) {
    const token = String(action.body?.token ?? 'tok_sandbox_visa_succeed');
    const card = await addCardOf(account, id, token);
    built.ids.set(`${customer}/card`, card.id);
    names.set(card.id, `${customer}/card at ${action.at} h`);
    return { status: 200, body: card };
  },
  async 'new account'({ account, built, names, action, customer, id }) {
    const added = await addAccountOf(account, id);
    for (const part of ['account', 'mandate'] as const) {
      built.ids.set(`${customer}/${part}`, added[part].id);
      names.set(added[part].id, `${customer}/${part} at ${action.at} h`);
    }
    return { status: 200, body: added };
  },
};

function detach({ account, built, customer }: Performing, method: 'card' | 'account'): Promise<Answer> {
  return account.ask('POST', `/payment_methods/${built.ids.get(`${customer}/${method}`)}/detach`);
}

const ofPayers: Record<string, Perform> = {
  pay: ({ account, action, id }) => pay(account, id, action.body?.method),
  /** On the biller's own page, with a new card or with the customer's own method. A challenge is left open. */
  async 'payer confirms'({ account, built, action, customer, id }) {
    // The page may still be open when the payment was canceled.
    const intent = await latestPayment(account, id, ['failed', 'requires_payment_method', 'canceled']);
    if (intent === null) return { status: 0, body: 'no payment waits for a payer' };
    const method = String(action.body?.method);
    return confirmAsPayer(account, intent, method.startsWith('tok_') ? method : built.ids.get(`${customer}/${method}`));
  },
};

/** The page of the bank may still be open when the challenge has ended. */
const stillOpen = ['requires_action', 'canceled', 'failed'];

/** What is done to the latest payment of a subject that has one of these states. */
const ofPayments: Record<string, Perform> = {
  refund: (performing) => toPayment(performing, ['succeeded'], 'refunds'),
  confirm: (performing) => toPayment(performing, ['failed', 'requires_payment_method'], 'confirm'),
  'cancel payment': (performing) =>
    toPayment(performing, ['processing', 'requires_action', 'failed', 'requires_payment_method'], 'cancel'),
  'pass challenge': (performing) => toPayment(performing, stillOpen, 'complete_action', 'succeed'),
  'fail challenge': (performing) => toPayment(performing, stillOpen, 'complete_action', 'fail'),
  settled: (performing) => toPayment(performing, ['processing'], 'bank_result', 'settled'),
  dishonoured: (performing) => toPayment(performing, ['processing'], 'bank_result', 'dishonoured'),
  returned: (performing) => toPayment(performing, ['succeeded'], 'bank_result', 'returned'),
  disputed: (performing) => toPayment(performing, ['succeeded'], 'bank_result', 'disputed'),
  'dispute won': (performing) => toPayment(performing, ['succeeded'], 'dispute', 'won'),
  'dispute lost': (performing) => toPayment(performing, ['succeeded'], 'dispute', 'lost'),
};

async function toPayment(
  { account, built, world, action, customer, id }: Performing,
  statuses: string[],
  what: string,
  result?: string,
): Promise<Answer> {
  const intent = await latestPayment(account, id, statuses);
  if (intent === null) return { status: 0, body: `no payment is ${statuses.join(' or ')}` };
  const helper = result === undefined ? '' : '/test_helpers';
  const body = result === undefined ? withIds(action.body ?? {}, built.ids, customer, world) : { result };
  const isBare = what === 'cancel';
  return account.ask('POST', `${helper}/payment_intents/${intent}/${what}`, isBare ? undefined : body);
}

/**
 * The id of the latest payment of a subject, or of the payment itself, that has the first of these states, else the
 * second and so on; or null.
 */
async function latestPayment({ place }: Account, id: string, statuses: string[]): Promise<string | null> {
  const [row] = await place.sql<{ id: string }[]>`
    select i.id from payment_intents i left join checkout_sessions s on s.id = i.checkout_session_id
    where ${id} in (i.id, i.payment_plan_id, i.subscription_id, i.checkout_session_id, s.payment_link_id)
      and i.status = any(${statuses})
    order by array_position(${statuses}, i.status), i.id desc limit 1`;
  return row?.id ?? null;
}
