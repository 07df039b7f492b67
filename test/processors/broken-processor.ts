import { type LoopbackServer, type Received, serveOnLoopback } from '../../lab/loopback-server.ts';

type Members = Record<string, unknown>;
type Call = Pick<Received, 'path' | 'headers' | 'body'>;
type Answer = { status: number; text: string };

/** The service without the defect. */
type Sound = (call: Call) => Promise<Answer>;

/** Responds to a call with one defect. Other calls go to the service without it. */
type Defect = (call: Call, sound: Sound) => Promise<Answer>;

/** Starts a processor service on loopback that is the one at `url`, but for a defect. */
export function serveWithDefect(url: string, defect: Defect): Promise<LoopbackServer> {
  const sound: Sound = async ({ path, headers, body }) => {
    const names = ['authorization', 'idempotency-key', 'content-type'];
    const sent = names.flatMap((name): [string, string][] => {
      const value = headers[name];
      return typeof value === 'string' ? [[name, value]] : [];
    });
    const answer = await fetch(`${url}${path}`, { method: 'POST', headers: sent, body });
    return { status: answer.status, text: await answer.text() };
  };
  return serveOnLoopback(async (received, response) => {
    const { status, text } = await defect(received, sound);
    response.writeHead(status, { 'content-type': 'application/json' }).end(text);
  });
}

/** Each defect, made anew: it remembers what it has seen. */
export const defects = {
  'charges a reservation twice under a race': () => {
    const underWay = new Set<string>();
    const doubles = secondCharges();
    return async (call, sound) => {
      const { reference } = membersOf(call.body);
      if (call.path === '/movements') return doubles.listed(call, sound);
      if (call.path !== '/charges' || typeof reference !== 'string') return sound(call);
      const isRace = underWay.has(reference);
      underWay.add(reference);
      const answer = await sound(call);
      if (isRace && answer.status === 200 && !doubles.has(reference)) await doubles.take(call, sound);
      underWay.delete(reference);
      return answer;
    };
  },

  'changes an outcome after it was told': () => {
    const declined = new Set<string>();
    const doubles = secondCharges();
    return async (call, sound) => {
      const { reference } = membersOf(call.body);
      if (call.path === '/movements') return doubles.listed(call, sound);
      if (call.path === '/refunds') return doubles.refunded(call, sound);
      if (call.path !== '/charges' || typeof reference !== 'string') return sound(call);
      const answer = await sound(call);
      if (answer.status !== 402) return answer;
      if (!declined.has(reference)) {
        declined.add(reference);
        return answer;
      }
      if (!doubles.has(reference)) await doubles.take(call, sound);
      const { idempotency_key } = membersOf(answer.text);
      return { status: 200, text: JSON.stringify({ idempotency_key, reference, outcome: 'succeeded' }) };
    };
  },

  'refunds twice after a repeat': () => {
    const seen = new Set<string>();
    return async (call, sound) => {
      const answer = await sound(call);
      const key = keyOf(call);
      if (call.path === '/movements') return { ...answer, text: answer.text.replaceAll('-again"', '"') };
      if (call.path !== '/refunds' || answer.status !== 200) return answer;
      if (seen.has(key)) await sound(under(call, `${key}-again`));
      seen.add(key);
      return answer;
    };
  },

  'leaves a movement out': () => {
    const hidden: string[] = [];
    let charges = 0;
    return async (call, sound) => {
      const answer = await sound(call);
      if (call.path === '/charges' && answer.status === 200) {
        charges += 1;
        if (charges % 30 === 0) hidden.push(keyOf(call));
      }
      if (call.path !== '/movements') return answer;
      const body = membersOf(answer.text);
      const movements = movementsIn(body).filter(({ idempotency_key: key }) => !hidden.includes(String(key)));
      return { ...answer, text: JSON.stringify({ ...body, movements }) };
    };
  },

  'lags behind with /inquire': () => {
    const chargedAt = new Map<unknown, number>();
    return async (call, sound) => {
      const { reference } = membersOf(call.body);
      const answer = await sound(call);
      if (call.path === '/charges' && answer.status < 500 && !chargedAt.has(reference)) {
        chargedAt.set(reference, performance.now());
      }
      const age = performance.now() - (chargedAt.get(reference) ?? Number.NEGATIVE_INFINITY);
      const isLate = call.path === '/inquire' && age < 1_000 && membersOf(answer.text).outcome === 'succeeded';
      return isLate ? { status: 200, text: JSON.stringify({ reference, outcome: 'not_charged' }) } : answer;
    };
  },
  'has old notices for a service that has no cursor': () => async (call, sound) => {
    const isFirst = call.path === '/notices' && membersOf(call.body).after === null;
    return sound(isFirst ? { ...call, body: JSON.stringify({ ...membersOf(call.body), after: '0' }) } : call);
  },

  'does not wait for notices': () => async (call, sound) => {
    const { after } = membersOf(call.body);
    const answer = call.path === '/notices' && after !== null ? soon(sound(call)) : sound(call);
    return (await answer) ?? { status: 200, text: JSON.stringify({ notices: [], cursor: after, has_more: false }) };
  },

  'names other references in its notices': () => async (call, sound) => {
    const answer = await sound(call);
    return call.path === '/notices' ? { ...answer, text: answer.text.replaceAll('"ref_', '"other_') } : answer;
  },

  'takes a charge without a key': () => {
    const keys = new Map<unknown, string>();
    return async (call, sound) => {
      const { reference } = membersOf(call.body);
      if (call.path === '/charges' && keyOf(call) === '') return sound(under(call, keys.get(reference) ?? ''));
      const answer = await sound(call);
      if (call.path === '/prepare') keys.set(membersOf(answer.text).reference, keyOf(call));
      return answer;
    };
  },

  'does not look at the secret': () => {
    let secret: string | undefined;
    return async (call, sound) => {
      secret ??= call.headers.authorization;
      return sound({ ...call, headers: { ...call.headers, authorization: secret } });
    };
  },

  'does not look at the account': () => async (call, sound) =>
    sound({ ...call, body: call.body.replace(/"account":"\w+"/, '"account":"acct_1"') }),

  'responds to a cancellation with 201': () => async (call, sound) => {
    const answer = await sound(call);
    return call.path === '/cancel' && answer.status === 200 ? { ...answer, status: 201 } : answer;
  },

  'answers an inquiry without its reference': () => async (call, sound) => {
    const answer = await sound(call);
    if (call.path !== '/inquire') return answer;
    return { ...answer, text: JSON.stringify({ ...membersOf(answer.text), reference: undefined }) };
  },

  'forgets where the payer of a challenge has to go': () => async (call, sound) => {
    const answer = await sound(call);
    if (call.path !== '/inquire') return answer;
    return { ...answer, text: JSON.stringify({ ...membersOf(answer.text), next_action: undefined }) };
  },

  'does not give a challenge up': () => {
    const challenged = new Set<unknown>();
    return async (call, sound) => {
      const { reference } = membersOf(call.body);
      if (call.path === '/cancel' && challenged.has(reference)) {
        return { status: 200, text: JSON.stringify({ reference, outcome: 'canceled' }) };
      }
      const answer = await sound(call);
      if (call.path === '/charges' && membersOf(answer.text).outcome === 'requires_action') challenged.add(reference);
      return answer;
    };
  },
  'settles another amount than it has taken': () => withBooks((entry) => [{ ...entry, fee: 0, net: 999, amount: 999 }]),

  'settles a charge twice': () =>
    withBooks((entry) => [entry, { ...entry, id: `${entry.id}-again`, payout: undefined }]),

  'makes a payout that its items do not add up to': () => withBooks((entry) => [entry, ...payoutOf(entry, -1)]),

  'makes a setup for each call': () => withSetups({ key: () => crypto.randomUUID() }),

  'says that a setup has succeeded which nobody has filled in': () => withSetups({ outcome: 'succeeded' }),

  'tells setups to other accounts': () => withSetups({ setupsOf: () => 'acct_1' }),

  'describes cards to other accounts': () => withSetups({ cardsOf: () => 'acct_1' }),
} satisfies Record<string, () => Defect>;

/** Changes what the list says of the settlement of a charge of ten. */
function withBooks(booked: (entry: Members) => Members[]): Defect {
  return async (call, sound) => {
    const answer = await sound(call);
    if (call.path !== '/movements') return answer;
    const body = membersOf(answer.text);
    const members = movementsIn(body).flatMap((each) => {
      return each.kind === 'settlement' && each.amount === 1000 ? booked(each) : [each];
    });
    return { ...answer, text: JSON.stringify({ ...body, movements: members }) };
  };
}

/** A payout of one entry, of that and so much more. */
function payoutOf(entry: Members, more = 0): Members[] {
  const payout = { id: `po_${entry.id}`, amount: Number(entry.net) + more, status: 'paid', arrives_on: '2040-01-01' };
  return [
    { ...entry, kind: 'payout', ...payout },
    { ...entry, payout: payout.id },
  ];
}

/** The service without books, as an acquirer without any. */
export const withoutBooks: Defect = async (call, sound) => {
  const answer = await sound(call);
  if (call.path !== '/movements') return answer;
  const body = membersOf(answer.text);
  const movements = movementsIn(body).filter(({ kind }) => kind === 'charge' || kind === 'refund');
  return { ...answer, text: JSON.stringify({ ...body, movements }) };
};

/** The service with a payout of each charge. */
export const withPayouts: Defect = (call, sound) => withBooks((entry) => [entry, ...payoutOf(entry)])(call, sound);

/** How a service with setups is spoiled: each of these changes one answer. */
interface SetupHabits {
  key?: (key: string) => string;
  outcome?: 'open' | 'succeeded';
  setupsOf?: (account: unknown) => unknown;
  cardsOf?: (account: unknown) => unknown;
}

/** The service with setups, which it lacks: they are in memory. */
export function withSetups({ outcome = 'open', ...habits }: SetupHabits = {}): Defect {
  const { key: keyFor = (key) => key, setupsOf = (account) => account, cardsOf = (account) => account } = habits;
  const accounts = new Map<unknown, unknown>();
  const references = new Map<string, string>();
  const notKnown = { status: 404, text: '{}' };
  return async (call, sound) => {
    const { account, reference, token } = membersOf(call.body);
    const isOurs = ['/setups', '/setups/inquire', '/methods/inquire'].includes(call.path);
    // The service looks at the secret first.
    const isRefused = isOurs && (await sound({ ...call, path: '/movements', body: '{"after":null}' })).status === 401;
    if (!isOurs || isRefused) return sound(call);
    if (call.path === '/setups') {
      const key = keyFor(keyOf(call));
      const own = references.get(key) ?? `seti_${crypto.randomUUID()}`;
      references.set(key, own);
      accounts.set(own, account);
      const page = { client_secret: 'secret', publishable_key: 'pk_1', script_url: 'https://js.example.com/v1/' };
      const told = { idempotency_key: keyOf(call), outcome: 'open', reference: own, ...page };
      return { status: 200, text: JSON.stringify(told) };
    }
    if (call.path === '/methods/inquire') {
      if (cardsOf(account) !== 'acct_1') return notKnown;
      return { status: 200, text: JSON.stringify({ token, outcome: 'found', brand: 'visa', last_four: '4242' }) };
    }
    if (!accounts.has(reference) || accounts.get(reference) !== setupsOf(account)) return notKnown;
    const saved = outcome === 'succeeded' ? { token: 'pm_1' } : {};
    return { status: 200, text: JSON.stringify({ reference, outcome, ...saved }) };
  };
}

/** A service that has lost what it has told before `isRestarted`. */
export function forgetful(isRestarted: () => boolean): Defect {
  const charged = new Set<unknown>();
  return async (call, sound) => {
    const { reference } = membersOf(call.body);
    if (call.path === '/charges' && !isRestarted()) charged.add(reference);
    const isLost = call.path === '/inquire' && isRestarted() && charged.has(reference);
    return isLost ? { status: 200, text: JSON.stringify({ reference, outcome: 'not_charged' }) } : sound(call);
  };
}

/** Charges that a defect takes beside the first of a reference, by a reservation of its own. */
function secondCharges() {
  const own = new Map<unknown, { key: string; reference: unknown }>();
  const shown = new Map<unknown, { key: string; reference: unknown }>();
  return {
    has: (reference: string) => own.has(reference),
    /** Takes the money of a charge once more. */
    async take(call: Call, sound: Sound): Promise<void> {
      const body = membersOf(call.body);
      const key = keyOf(call);
      const second = `${key}.second`;
      own.set(body.reference, { key: second, reference: '' });
      const method = { ...(body.payment_method as Members), fixture_token: 'tok_sandbox_visa_succeed' };
      const good = { ...body, payment_method: method };
      const prepared = await sound({ ...under(call, second), path: '/prepare', body: JSON.stringify(good) });
      const { reference } = membersOf(prepared.text);
      own.set(body.reference, { key: second, reference });
      shown.set(reference, { key, reference: body.reference });
      await sound({ ...under(call, second), body: JSON.stringify({ ...good, reference }) });
    },
    /** The list, in which the second charge is one of the first one's reference. */
    async listed(call: Call, sound: Sound): Promise<Answer> {
      const answer = await sound(call);
      const body = membersOf(answer.text);
      const movements = movementsIn(body).map((each) => {
        const first = shown.get(each.reference);
        if (first === undefined) return each;
        const key = each.kind === 'charge' ? first.key : each.idempotency_key;
        return { ...each, idempotency_key: key, reference: first.reference };
      });
      return answer.status === 200 ? { ...answer, text: JSON.stringify({ ...body, movements }) } : answer;
    },
    /** A refund of the second charge, if there is one. */
    async refunded(call: Call, sound: Sound): Promise<Answer> {
      const body = membersOf(call.body);
      const second = own.get(body.charge_reference);
      if (second === undefined) return sound(call);
      return sound({ ...call, body: JSON.stringify({ ...body, charge_reference: second.reference }) });
    },
  };
}

function keyOf({ headers }: Call): string {
  return String(headers['idempotency-key'] ?? '');
}

function under(call: Call, key: string): Call {
  return { ...call, headers: { ...call.headers, 'idempotency-key': key } };
}

/** The answer, if it comes within a moment; else null. */
function soon(answer: Promise<Answer>): Promise<Answer | null> {
  return Promise.race([answer, new Promise<null>((resolve) => setTimeout(resolve, 200, null))]);
}

function movementsIn({ movements }: Members): Members[] {
  return Array.isArray(movements) ? movements : [];
}

function membersOf(text: string): Members {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {};
  }
}
