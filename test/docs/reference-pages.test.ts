import assert from 'node:assert/strict';
import { it } from 'mocha';
import { eventually } from '../../lab/eventually.ts';
import { openApiDocument } from '../../src/api/openapi/document.ts';
import { asNode } from '../../src/api/validation/describe-schema.ts';
import { inlineMarkdown } from '../../src/sites/reference/markdown.ts';
import { referenceOf } from '../../src/sites/reference/pages.ts';
import { search } from '../../src/sites/reference/search.ts';
import { allRoutes } from '../../src/sites/routes.ts';
import { desktop, obstacles, useBrowser } from '../support/browser.ts';
import { useStage } from '../support/stage.ts';

const document = openApiDocument(allRoutes);
const { pages, entries } = referenceOf(document);
const phone = { width: 360, height: 780 };

describe('the pages of the reference', () => {
  const stage = useStage();

  it('are served without a key, and load and reach nothing but this service', async () => {
    for (const { path } of pages) {
      const { status, headers, text } = await stage.api.send('GET', path);
      assert.deepEqual([status, headers.get('content-type')], [200, 'text/html; charset=utf-8'], path);
      const policy = (headers.get('content-security-policy') ?? '').split('; ').map((part) => part.split(' '));
      const sources = new Set(policy.flatMap(([, ...values]) => values));
      assert.deepEqual(
        [policy[0], [...sources].sort()],
        [
          ['default-src', "'none'"],
          ["'none'", "'self'", 'data:'],
        ],
        path,
      );
      const loaded = [...text.matchAll(/<(?:script|link|img|iframe)[^>]*?(?:src|href)="([^"]*)"/g)].map(
        ([, link = '']) => link,
      );
      assert.deepEqual(
        loaded.filter((link) => !/^(\/docs\/[0-9a-f]{16}\/reference\.(css|js)$|data:)/.test(link)),
        [],
        path,
      );
      assert.equal(/\sstyle=|<style|\son\w+=/.test(text.replace(/<pre[\s\S]*?<\/pre>/g, '')), false, path);
    }
  });

  it('are two files besides, which a browser keeps for good', async () => {
    const { text } = await stage.api.send('GET', '/docs');
    const files = [...text.matchAll(/(?:src|href)="(\/docs\/[0-9a-f]{16}\/[^"]+)"/g)].map(([, file = '']) => file);
    assert.equal(files.length, 2);
    for (const file of files) {
      const { status, headers, text: content } = await stage.api.send('GET', file);
      assert.equal(status, 200);
      assert.match(headers.get('content-type') ?? '', file.endsWith('.css') ? /^text\/css/ : /^text\/javascript/);
      assert.match(headers.get('cache-control') ?? '', /immutable/);
      assert.doesNotMatch(content, /@import|url\(|https?:/);
    }
  });

  it('link only to pages and places that exist', () => {
    const anchors = new Map(
      pages.map(({ path, main }) => [path, new Set([...main().text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))]),
    );
    const links = pages.flatMap(({ path, main, parts }) => [
      ...[...main().text.matchAll(/<a href="([^"]+)"/g)].map(([, link = '']) => ({ path, link })),
      ...parts.map(({ anchor }) => ({ path, link: `#${anchor}` })),
    ]);
    const found = entries.map((entry) => ({ path: 'search', link: entry.path }));
    const broken = [...links, ...found].filter(({ path, link }) => {
      if (link.startsWith('https:') || link === '/workbench' || /^\/openapi(\.compat)?\.json$/.test(link)) return false;
      const [page = '', anchor] = link.split('#');
      const target = anchors.get(page || path);
      return target === undefined || (anchor !== undefined && !target.has(decodeURIComponent(anchor)));
    });
    assert.ok(links.length > 500);
    assert.deepEqual(broken, []);
  });

  it('show every operation, event type and code, and all operations on the first page', () => {
    const all = pages.map(({ main }) => main().text).join('\n');
    const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
    const [home] = pages;
    for (const { operationId, summary } of operations) {
      assert.ok(all.includes(`<section class="operation" id="${operationId}">`), String(operationId));
      assert.ok(
        home?.main().text.includes(`#${operationId}">${inlineMarkdown(String(summary)).text}</a>`),
        String(operationId),
      );
    }
    for (const type of Object.keys(document.webhooks)) assert.ok(all.includes(`id="${type}"`), type);
    for (const code of ['insufficient_scope', 'unknown_parameter', 'card_declined']) {
      assert.ok(all.includes(`<td><code>${code}</code></td>`), code);
    }
  });

  it('show code in a title as code, wherever the title stands: no page has a bare backtick', async () => {
    const proseOf = (text: string) => text.replace(/<(pre|code)\b[\s\S]*?<\/\1>/g, '');
    const paths = [...pages.map(({ path }) => path), '/docs/search?q=when%3A+now', '/docs/search?q=dry_run'];
    for (const path of paths) {
      const { text } = await stage.api.send('GET', path);
      assert.equal(/.{0,60}`.{0,60}/.exec(proseOf(text))?.[0], undefined, path);
    }
    assert.ok(pages.some(({ main }) => /<h2>.*<code>.*<\/h2>/.test(main().text)));
  });

  it('are none for a tag without operations', () => {
    for (const { path, parts, group } of pages) {
      if (group === 'Reference') assert.ok(parts.length > 0, path);
    }
  });

  it('show every field of a body, with its type and whether it is required', () => {
    const page = pages.find(({ path }) => path === '/docs/payment-plans')?.main().text ?? '';
    const [section = ''] = (page.split('id="createPaymentPlan"')[1] ?? '').split('</section>');
    const { properties, required } = document.components.schemas?.PaymentPlanCreate ?? {};
    for (const name of Object.keys(asNode(properties) ?? {}))
      assert.ok(section.includes(`<code class="name">${name}</code>`), name);
    const [, body = ''] = section.split('<h3>Body</h3>');
    const marked = (body.split('<h3>')[0] ?? '').split('<span class="mark">required</span>').length - 1;
    assert.equal(marked, Array.isArray(required) ? required.length : 0);
  });

  it('show text of the document as text, whatever it is', async () => {
    const { text } = await stage.api.send('GET', '/docs/search?q=%3Cimg%20src=x%20onerror=alert(1)%3E');
    assert.ok(text.includes('&lt;img src=x onerror=alert(1)&gt;'));
    assert.equal(text.includes('<img src=x'), false);
  });

  it('are reached with a slash at the end too, and the guides under their former name', async () => {
    const moved: [string, string][] = [
      ['/docs/', '/docs'],
      ['/docs/guides/', '/docs/guides'],
      ['/docs/guides/introduction', '/docs/guides'],
      ['/docs/guides/02-first-plan/', '/docs/guides/02-first-plan'],
      ['/docs/search/?q=retry', '/docs/search?q=retry'],
    ];
    for (const [from, to] of moved) {
      const { status, headers } = await fetch(stage.api.url + from, { redirect: 'manual' });
      assert.deepEqual([status, headers.get('location')], [308, to]);
      assert.equal((await stage.api.send('GET', to)).status, 200);
    }
  });

  it('are searched for by a browser that asks for one that does not exist', async () => {
    const headers = { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
    const { status, headers: returned } = await stage.api.send('GET', '/docs/guides/first-plan', { headers });
    assert.deepEqual([status, returned.get('location')], [303, '/docs/search?q=guides+first+plan']);
    const evil = await stage.api.send('GET', '/docs/%0d%0aSet-Cookie:%20a=b', { headers });
    assert.deepEqual([evil.status, evil.headers.get('set-cookie')], [303, null]);
  });

  it('have an index of the guides, each with a link and some words', () => {
    const guides = pages.filter(({ group }) => group === 'Guides');
    const [index, ...others] = guides;
    assert.equal(index?.path, '/docs/guides');
    const text = index.main().text;
    for (const { path } of others)
      assert.match(text, new RegExp(`<td><a href="${path}">[^<]+</a></td><td>[^<]{15}`), path);
  });

  it('do not exist under other names, and search refuses other parameters', async () => {
    assert.equal((await stage.api.send('GET', '/docs/none')).body.error.code, 'route_not_found');
    assert.equal((await stage.api.send('GET', '/docs/guides/..%2f..%2fpackage')).body.error.code, 'route_not_found');
    assert.equal((await stage.api.send('GET', '/docs/search?other=1')).body.error.code, 'validation_failed');
  });
});

describe('the search of the reference', () => {
  const titlesOf = (query: string) => search(entries, query).map(({ title }) => title);

  it('finds operations by their words, ids, paths and fields', () => {
    for (const query of ['create a payment plan', 'createPaymentPlan', '/payment_plans post', 'failure_behaviour']) {
      assert.ok(titlesOf(query).includes('Create a payment plan'), query);
    }
  });

  it('finds event types, codes and parts of guides, those with the words in their titles first', () => {
    assert.equal(titlesOf('payment_intent.returned')[0], 'payment_intent.returned');
    assert.equal(titlesOf('insufficient_scope')[0], 'insufficient_scope');
    assert.equal(titlesOf('choosing keys')[0], 'Choosing keys');
  });

  it('finds nothing for no words or unknown words', () => {
    assert.deepEqual([titlesOf('  '), titlesOf('payment zebra')], [[], []]);
  });
});

describe('the reference in a real browser', () => {
  const stage = useStage();
  const browser = useBrowser();
  const paths = ['/docs', '/docs/payment-plans', '/docs/codes', '/docs/guides', '/docs/search?q=retry'];

  for (const scheme of ['light', 'dark'] as const) {
    it(`is accessible and fits a phone, ${scheme}`, async function () {
      this.timeout(120_000);
      // A colour does not depend on the width.
      for (const view of scheme === 'light' ? [desktop, phone] : [phone]) {
        for (const path of paths) {
          const tab = await browser.open(stage.api.url + path, { ...view, scheme });
          assert.deepEqual(await obstacles(tab), [], path);
          assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), view.width, path);
          assert.deepEqual(tab.complaints, [], path);
        }
      }
    });
  }

  it('shows one language in all samples, keeps it, and finds while you type', async function () {
    this.timeout(60_000);
    const tab = await browser.open(`${stage.api.url}/docs/customers`);
    const shown = () =>
      tab.evaluate<string[]>(
        `[...new Set([...document.querySelectorAll('.samples details[open] summary')].map((e) => e.textContent))]`,
      );
    assert.deepEqual(await shown(), ['curl']);
    await tab.evaluate(
      `[...document.querySelectorAll('.samples summary')].find((e) => e.textContent === 'Python').click()`,
    );
    assert.deepEqual(await shown(), ['Python']);
    await tab.goto(`${stage.api.url}/docs/refunds`);
    assert.deepEqual(await shown(), ['Python']);
    await tab.evaluate(`(() => { const input = document.querySelector('header input');
      input.value = 'advance_bound'; input.dispatchEvent(new Event('input')); })()`);
    await eventually('results are shown', () =>
      tab.evaluate<boolean>(`document.querySelector('#found a')?.textContent === 'advance_bound_exceeded'`),
    );
    await tab.evaluate(`document.querySelector('header button').click()`);
    assert.equal(await tab.evaluate('document.documentElement.style.colorScheme'), 'dark');
    assert.deepEqual(tab.complaints, []);
  });

  it('has all samples, and finds, without scripts', async function () {
    this.timeout(60_000);
    const tab = await browser.open(`${stage.api.url}/docs/refunds`, { ...desktop, isWithoutScripts: true });
    assert.equal(await tab.evaluate(`document.querySelectorAll('.samples details').length % 4`), 0);
    await tab.evaluate(`document.querySelector('header input').value = 'refund'`);
    await tab.follow(`document.querySelector('header form').submit()`);
    assert.match(await tab.evaluate(`document.querySelector('#results').textContent`), /Refund/);
  });
});
