import { inParallel, range } from '../../../lab/parallel.ts';
import { type Id, namedId } from '../../../src/domain/ids.ts';
import type { Setup } from '../../../src/processors/card-setups.ts';
import { expect, NotOffered, NotTried, type Row } from '../row.ts';
import { known, type Session } from '../session.ts';

const atOnce = 5;
const another = namedId('biller', 'acct_ofanotherbiller');

export const setupRows: readonly Row[] = [
  {
    promise: 'A key begins one setup',
    plays: `${atOnce} times at once and once more, and another key another one`,
    takes: 0,
    async play(session) {
      const key = newKey();
      const first = await begun(session, key);
      const more = await inParallel(range(atOnce), atOnce, () => known(begun(session, key)));
      const references = new Set(
        [first, ...more, await begun(session, key)].flatMap((setup) => setup?.reference ?? []),
      );
      expect(references.size === 1, `/setups gave ${references.size} references under one key`);
      const other = await begun(session, newKey());
      expect(other.reference !== first.reference, '/setups gave the same reference under another key');
    },
  },
  {
    promise: '`/setups/inquire` tells what the processor has',
    plays: 'a setup that nobody has filled in, and one that there is not',
    takes: 0,
    async play(session) {
      const { reference } = await begun(session, newKey());
      const { kind } = await session.client.setups.inquire(billerOf(session), reference);
      expect(kind === 'open', `/setups/inquire of a new setup says ${kind}`);
      const unknown = await known(session.client.setups.inquire(billerOf(session), `${reference}x`));
      expect(unknown === null, `/setups/inquire of an unknown reference says ${unknown?.kind}`);
    },
  },
  {
    promise: 'A setup of another account gets no outcome',
    plays: 'a setup is inquired for another account',
    takes: 0,
    async play(session) {
      assertAccounts(session);
      const { reference } = await begun(session, newKey());
      const state = await known(session.client.setups.inquire(another, reference));
      expect(state === null, `/setups/inquire for another account says ${state?.kind}`);
    },
  },
  {
    promise: 'A token of another account gets 404',
    plays: 'the token is described, and described for another account',
    takes: 0,
    async play(session) {
      const { token } = session.options;
      const card = await session.client.setups.describe(billerOf(session), token);
      if (card === null) throw new NotOffered(`/methods/inquire does not know ${token}`);
      assertAccounts(session);
      const told = await known(session.client.setups.describe(another, token));
      expect(told === null, '/methods/inquire describes the token for another account');
    },
  },
];

function newKey(): string {
  return `setup_${crypto.randomUUID()}`;
}

function billerOf({ options }: Session): Id<'biller'> {
  return options.account ?? namedId('biller', 'acct_processorcheck');
}

/** @throws NotOffered if the service has no fields for the account */
async function begun(session: Session, idempotencyKey: string): Promise<Setup> {
  const setup = await session.client.setups.create({ idempotencyKey, billerId: billerOf(session) });
  if (setup === null) throw new NotOffered('the service has no /setups for this account');
  return setup;
}

/** @throws NotTried for a service that looks at no account */
function assertAccounts({ options }: Session): void {
  if (options.account === null) throw new NotTried('it is for services with several accounts: give --account');
}
