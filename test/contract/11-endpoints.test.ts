import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { asNode } from '../../src/api/validation/describe-schema.ts';
import type { Reply } from '../support/api.ts';
import { isReachable, promisedResponses } from '../support/openapi.ts';
import { contractEndpoints, type Endpoint, endpoints, nameOf } from './endpoints.ts';
import { succeeding } from './requests.ts';
import { operationOf, useStatuses } from './statuses.ts';
import { itIsTheTable, itReadsTheContract, type TableName, tables, tablesOf } from './tables.ts';

const meanings: Readonly<Record<number, { says: string; type?: string }>> = {
  200: { says: 'done' },
  201: { says: 'made' },
  202: { says: 'accepted' },
  400: { says: 'invalid request', type: 'invalid_request_error' },
  401: { says: 'unauthenticated', type: 'authentication_error' },
  403: { says: 'insufficient scope', type: 'permission_error' },
  404: { says: 'resource not found', type: 'invalid_request_error' },
  409: { says: 'the Idempotency-Key is in use', type: 'idempotency_error' },
  413: { says: 'the body is too large', type: 'invalid_request_error' },
  422: { says: 'unprocessable entity' },
  429: { says: 'too many requests', type: 'rate_limit_error' },
  500: { says: 'internal error', type: 'api_error' },
  503: { says: 'the database is away', type: 'api_error' },
};

/** Internals that an error never contains. */
const insides =
  /lost_|relation|does not exist|select |insert |update |postgres|127\.0\.0\.1|\.ts\b|\bat \/|node_modules/i;

function assertAnswer(operation: string, status: number, reply: Reply): void {
  assert.equal(reply.status, status, `${operation}: ${reply.text.slice(0, 300)}`);
  if (status < 300) return;
  const { type } = meanings[status] ?? {};
  if (type !== undefined) assert.equal(reply.body.error.type, type, operation);
  assert.doesNotMatch(reply.text, insides, operation);
}

describe('Endpoints', () => {
  const { stage, answer } = useStatuses();

  for (const [name, rows] of Object.entries(endpoints) as [TableName, readonly Endpoint[]][]) {
    describe(tables[name][0].replace('Endpoints / ', ''), () => {
      itIsTheTable(
        name,
        ['Method', 'Path'],
        rows.map(({ method, path }) => [method, path]),
      );
      for (const row of rows) {
        for (const status of [...row.statuses, ...(row.more ?? [])]) {
          const says = status === 404 && row.missing ? `${row.missing} not found` : meanings[status]?.says;
          it(`${nameOf(row)} returns the status ${status} ${says}${row.statuses.includes(status) ? '' : ' (not listed)'}`, async () => {
            const reply = await answer(nameOf(row), status);
            assertAnswer(nameOf(row), status, reply);
            if (status === 404 && row.missing)
              assert.ok(reply.body.error.message.startsWith(`No such ${row.missing}:`));
          });
        }
        if (row.query) {
          it(`${nameOf(row)} accepts the query ${row.query.join(', ')}, and nothing else`, () => takesQuery(row));
        }
        if (row.output) {
          it(`${nameOf(row)} returns the members {${row.output.join(', ')}}`, async () => {
            const { body } = await answer(nameOf(row), row.statuses[0] ?? row.more?.[0] ?? 200);
            for (const member of row.output ?? []) assert.ok(member in body, member);
          });
        }
      }
    });
  }

  async function takesQuery(row: Endpoint): Promise<void> {
    const make = succeeding[nameOf(row)];
    assert.ok(make);
    const { path } = await make(stage);
    const values: Record<string, string> = { limit: '1', state: 'active', starting_after: '' };
    for (const name of row.query ?? []) {
      const reply = await stage.api.send('GET', `${path}?${name}=${values[name] ?? 'ada'}`, {
        key: stage.merchant.key,
      });
      // An unknown cursor is refused by value: the parameter is known.
      const refused = reply.body.error?.details?.[0];
      if (name === 'starting_after') assert.equal(refused?.code, 'resource_missing', name);
      else assert.equal(reply.status, 200, `${name}: ${reply.text}`);
    }
    const other = await stage.api.send('GET', `${path}?colour=red`, { key: stage.merchant.key });
    assert.equal(other.body.error?.details?.[0]?.code, 'unknown_parameter');
  }

  describe('whatever the contract does not list', () => {
    const promised = promisedResponses().filter(isReachable);
    const covered = new Set(
      contractEndpoints.flatMap((row) =>
        [...row.statuses, ...(row.more ?? [])].map((status) => `${nameOf(row)} ${status}`),
      ),
    );
    const statuses = [...new Set(promised.map((one) => Number(one.slice(-3))))].sort();
    for (const status of statuses) {
      const operations = promised
        .filter((one) => one.endsWith(` ${status}`) && !covered.has(one))
        .map((one) => one.slice(0, one.lastIndexOf(' ')));
      if (operations.length === 0) continue;
      it(`${status} ${meanings[status]?.says}: ${operations.length} more operations that document it`, async function () {
        this.timeout(60_000);
        // A request waits for a key in use. They wait together, so the test waits once.
        if (status === 409) {
          const replies = await Promise.all(operations.map((operation) => answer(operation, status)));
          replies.forEach((reply, index) => {
            assertAnswer(operations[index] ?? '', status, reply);
          });
          return;
        }
        for (const operation of operations) assertAnswer(operation, status, await answer(operation, status));
      });
    }
  });
});

describe('The contract’s endpoints in the OpenAPI document', () => {
  it('include each path with its method and every status that the contract lists', () => {
    for (const row of contractEndpoints) {
      const responses = asNode(operationOf(nameOf(row)).responses) ?? {};
      for (const status of [...row.statuses, ...(row.more ?? [])]) {
        assert.ok(responses[status], `${nameOf(row)} ${status}`);
      }
    }
  });

  itReadsTheContract('are here with the statuses that the contract’s tables list', (contract) => {
    const all = tablesOf(contract);
    for (const [name, rows] of Object.entries(endpoints) as [TableName, readonly Endpoint[]][]) {
      const table = all.get(tables[name][0]);
      const cells = (table?.rows ?? []).map((row) => {
        const [column] = ['Statuses', 'Notes']
          .map((title) => table?.columns.indexOf(title) ?? -1)
          .filter((at) => at >= 0);
        return (column === undefined ? '' : (row[column] ?? '')).match(/\b[2-5]\d\d\b/g)?.map(Number) ?? [];
      });
      assert.deepEqual(
        rows.map(({ statuses }) => statuses),
        cells,
      );
    }
  });

  itReadsTheContract(
    'are here with the queries and the members of answers that the contract’s tables name',
    (contract) => {
      const all = tablesOf(contract);
      for (const [name, rows] of Object.entries(endpoints) as [TableName, readonly Endpoint[]][]) {
        const table = all.get(tables[name][0]);
        (table?.rows ?? []).forEach((cells, index) => {
          const input = cells[2] ?? '';
          const output = cells[3] ?? '';
          const bare = input.startsWith('Query: ') ? input.slice(7).replace(/ \([^)]*\)/g, '') : '';
          assert.deepEqual(rows[index]?.query ?? [], bare === '' ? [] : bare.split(', '), input);
          const members = /^\{(.*)\}/.exec(output)?.[1]?.replace(/: (\[.*?\]|\{.*?\}|<.*?>|\w+)/g, '') ?? '';
          assert.deepEqual(rows[index]?.output ?? [], members === '' ? [] : members.split(', '), output);
        });
      }
    },
  );
});
