import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'mocha';
import { eventTypes } from '../../src/resources/event-catalogue.ts';
import { allScopes } from '../../src/services/accounts/scopes.ts';
import { allRoutes } from '../../src/sites/routes.ts';
import { routeFileFaults } from '../support/route-files.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(`${root}${path}`, 'utf8');

/** Types of events that no invariant counts, and why. */
const uncounted: Readonly<Record<string, string>> = {
  'payment_intent.requires_action': 'an attempt loses that outcome when the challenge is completed',
  'subscription.past_due': 'a subscription can be past due again and again',
  'subscription.recovered': 'it can recover again and again',
  'subscription.pause_scheduled': 'a pause can be requested again and again',
  'subscription.pause_removed': 'it can be taken back again and again',
  'subscription.paused': 'a subscription can be paused again and again',
  'subscription.resumed': 'it can be resumed again and again',
  'subscription.cancel_scheduled': 'an end can be set again and again',
  'subscription.cancel_removed': 'it can be taken back again and again',
  'subscription.changed': 'a scheduled change leaves no row of its own',
  'subscription.change_scheduled': 'a change can be scheduled again and again',
  'subscription.change_removed': 'it can be taken back again and again',
  'subscription.change_failed': 'the payment of a change can fail again and again',
  'subscription.period_paid': 'a period can be paid again after its debit came back',
  'subscription.updated': 'it is told only if no other event tells the change',
  'webhook_endpoint.ping': 'nothing else is written when one is asked for',
  'webhook_endpoint.disabled': 'an endpoint can be disabled and enabled again',
};

describe('the lists of the source', () => {
  it('have every file of routes', async () => {
    assert.deepEqual(await routeFileFaults(`${root}src/api/routes`), []);
  });

  it('have a scope for a key if a route needs it, and no other scope', () => {
    const needed = new Set(allRoutes.flatMap(({ access }) => (access === 'public' ? [] : [access.scope])));
    assert.deepEqual([...needed].sort(), [...allScopes].sort());
  });

  it('have every type of event in an invariant, or a reason', () => {
    const invariants = read('src/operations/invariants/events.ts');
    // The type of a refund's event is put together from its status.
    const isCounted = (type: string) => invariants.includes(`'${type}'`) || type.startsWith('refund.');
    assert.deepEqual(
      eventTypes.filter((type) => !isCounted(type)),
      Object.keys(uncounted),
    );
  });

  it('have ids for the fuzzer for every parameter of a path', () => {
    const settings = read('fuzz/schemathesis.toml');
    const scenery = read('fuzz/scenery.ts');
    // The fuzzer makes its requests from the document.
    const documented = allRoutes.filter((one) => !one.undocumented);
    const parameters = new Set(documented.flatMap(({ path }) => [...path.matchAll(/:(\w+)/g)].map(([, name]) => name)));
    for (const name of parameters) {
      const [, dictionary] = new RegExp(`"path\\.${name}" = \\{ dictionary = "(\\w+)"`).exec(settings) ?? [];
      assert.ok(dictionary, `fuzz/schemathesis.toml has no path.${name}`);
      assert.match(scenery, new RegExp(`'${dictionary}'`), `fuzz/scenery.ts makes no ${dictionary}`);
    }
  });
});
