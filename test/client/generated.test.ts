import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { PaymentsClient } from '@payments-service/client';
import type { Document, Operation } from '../../clients/typescript/generate/document.ts';
import { folder, generate, serviceDocument } from '../../clients/typescript/generate/generate.ts';
import { methodName } from '../../clients/typescript/generate/naming.ts';
import { resourcesOf } from '../../clients/typescript/generate/resources.ts';

describe('the generated code of the client', () => {
  const document = serviceDocument();

  it('is up to date with the document: otherwise run `npm run generate -w clients/typescript`', async () => {
    const files = await generate(document);
    assert.deepEqual((await readdir(folder)).sort(), Object.keys(files).sort());
    for (const [name, text] of Object.entries(files)) {
      assert.ok((await readFile(new URL(name, folder), 'utf8')) === text, `${name} is out of date`);
    }
  });

  it('reaches every operation of the document, by its own method and path', async () => {
    const asked: string[] = [];
    const client = new PaymentsClient({
      apiKey: 'sk_1',
      baseUrl: 'https://payments.test',
      fetch: async (input, init) => {
        asked.push(`${init?.method} ${new URL(String(input)).pathname}`);
        return new Response('{}', { headers: { 'Content-Type': new Headers(init?.headers).get('Accept') ?? '' } });
      },
    });
    const members = new Map(Object.entries(client));
    const expected: string[] = [];
    for (const { words, methods } of resourcesOf(document)) {
      const resource = members.get(
        words.map((word, index) => (index === 0 ? word : word[0]?.toUpperCase() + word.slice(1))).join(''),
      );
      for (const { name, alias, httpMethod, path, pathParameters } of methods) {
        const ids = pathParameters.map((_, index) => `id${index}`);
        await resource[name](...ids);
        expected.push(
          `${httpMethod} ${pathParameters.reduce((text, parameter, index) => text.replace(`{${parameter}}`, `id${index}`), path)}`,
        );
        if (alias === null) continue;
        await resource[alias](...ids);
        assert.equal(asked.pop(), asked.at(-1), alias);
      }
    }
    const operations = Object.values(document.paths).flatMap((methods) => Object.keys(methods));
    assert.deepEqual(asked, expected);
    assert.equal(asked.length, operations.length);
    assert.equal(new Set(asked).size, asked.length);
  });

  it('has an action by the name of its path too, and no list or creation', () => {
    const aliases = resourcesOf(document).flatMap(({ words, methods }) =>
      methods.flatMap(({ name, alias }) => (alias === null ? [] : [[...words, name, alias].join(' ')])),
    );
    assert.deepEqual(aliases, [
      'mandates recordNotice notices',
      'mandates cancelAsPayer payerCancels',
      'payment intents reportBankResult bankResult',
      'subscriptions retry retryNow',
      'webhook endpoints replayDeliveries replay',
    ]);
  });

  it('names methods without the words of their resource', () => {
    const names: [string, string, string][] = [
      ['createCustomer', 'customers', 'create'],
      ['listCustomers', 'customers', 'list'],
      ['listCustomerPaymentIntents', 'customers', 'listPaymentIntents'],
      ['getCustomerPaymentMethod', 'customers', 'getPaymentMethod'],
      ['listPlanPayments', 'payment plans', 'listPayments'],
      ['getPlanSchedule', 'payment plans', 'getSchedule'],
      ['completePaymentIntentAction', 'payment intents', 'completeAction'],
      ['rotateWebhookSecret', 'webhook endpoints', 'rotateSecret'],
      ['listWebhookDeliveries', 'webhook endpoints', 'listDeliveries'],
      ['getWebhookDelivery', 'webhook deliveries', 'get'],
    ];
    for (const [operation, resource, name] of names) assert.equal(methodName(operation, resource.split(' ')), name);
  });

  const created: Operation = {
    operationId: 'createGiftCard',
    tags: ['Gift cards'],
    summary: 'Create a link',
    requestBody: { required: true, content: { 'application/json': { schema: { type: 'object' } } } },
    responses: { 201: { content: { 'application/json': { schema: { type: 'object' } } } } },
  };
  const newer = (paths: Document['paths']): Document => ({
    ...document,
    tags: [...document.tags, { name: 'Gift cards', description: 'Cards to give.' }],
    paths: { ...document.paths, ...paths },
  });

  it('includes a new operation of the document', async () => {
    const text = (await generate(newer({ '/api/v1/gift_cards': { post: created } })))['resources.ts'];
    assert.match(text ?? '', /\/\*\* Cards to give\. \*\/\nexport class GiftCards extends Resource \{/);
    assert.match(text ?? '', / {2}create\(body: BodyOf<'createGiftCard'>, options\?: RequestOptions\): Promise</);
    assert.match(text ?? '', / {2}readonly giftCards: GiftCards;/);
  });

  it('is refused if two operations would be the same method', () => {
    const twice = newer({
      '/api/v1/gift_cards': { post: created, put: { ...created, operationId: 'createGiftCards' } },
    });
    assert.throws(() => resourcesOf(twice), /createGiftCards would be a second giftCards\.create/);
  });
});
