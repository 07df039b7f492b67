import { type Built, collectionOf } from './build.ts';
import type { Account, Body } from './place.ts';
import type { SubjectKind } from './world.ts';

/** What else the API shows of a subject. */
const parts: Partial<Record<SubjectKind, string[]>> = {
  plan: ['payments', 'schedule?count=3'],
  subscription: ['periods', 'changes', 'schedule?count=3'],
  link: ['payments'],
};

/** All that the API shows of a world's customers, by the name of the object and the path. */
export async function readResources(account: Account, { ids }: Built): Promise<Record<string, Body>> {
  const resources: Record<string, Body> = {};
  const read = async (name: string, path: string) => {
    resources[name] = (await account.ask('GET', path)).body;
  };
  const all: Promise<void>[] = [];
  for (const [name, id] of ids) {
    const what = name.split('/')[1]?.replace(/\d+$/, '') ?? '';
    if (what === '')
      all.push(read(name, `/customers/${id}`), read(`${name} methods`, `/customers/${id}/payment_methods`));
    else if (what === 'mandate') all.push(read(name, `/mandates/${id}`));
    else if (what === 'card' || what === 'account') continue;
    else {
      const path = `/${collectionOf(what as SubjectKind)}/${id}`;
      all.push(read(name, path));
      for (const part of parts[what as SubjectKind] ?? []) {
        const limit = part.includes('?') ? '' : '?limit=100';
        all.push(read(`${name} ${part}`, `${path}/${part}${limit}`));
      }
    }
  }
  await Promise.all(all);
  resources.payments = await account.list('/payment_intents');
  const refunded = resources.payments.filter(({ total_refunded_amount: sum }: Body) => sum > 0);
  for (const { id } of refunded) await read(`refunds of ${id}`, `/payment_intents/${id}/refunds`);
  return resources;
}
