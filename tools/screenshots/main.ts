// Takes the pictures of docs/images from a running service: npm run screenshots [-- --data-dir DIR]
// It makes what they show in the sandbox of the demo biller, and takes it away again. Needs a Chromium on PATH.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PaymentsClient } from '@payments-service/client';
import { findOnPath } from '../../dev/temporal-program.ts';
import { readHost } from '../../src/processes/config/config.ts';
import { openBrowser, type Page } from './browser.ts';
import { makeStates, removeStates, type States } from './states.ts';

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));
const programs = ['chromium', 'chromium-browser', 'google-chrome'];
/** Large enough for a page to be seen whole, and its picture below 200 KiB. */
const size = { width: 1280, height: 1240, scale: 0.75 };
const namespace = 'payments';

/** What is written once the service is ready. */
interface Development {
  base_url: string;
  temporal_ui_url: string;
  keys: { sandbox_secret: string };
}

const { values } = parseArgs({ options: { 'data-dir': { type: 'string', default: '.data' } } });
const file = join(values['data-dir'], 'development.json');
const development = JSON.parse(await readFile(file, 'utf8')) as Development;
const api = new PaymentsClient({ baseUrl: development.base_url, apiKey: development.keys.sandbox_secret });

const found = await Promise.all(programs.map((name) => findOnPath(name, readHost().searchPath)));
const program = found.find((path) => path !== null);
if (program === undefined || program === null) throw new Error(`None of ${programs.join(', ')} is on PATH.`);

await mkdir(folder, { recursive: true });
const states = await makeStates(api);
const browser = await openBrowser(program, size);
try {
  await takeAll(browser.page, states);
} finally {
  await browser.close();
  await removeStates(api, states);
}

async function takeAll(page: Page, { retryingPlan, suspendedPlan, clock, endpoint, delivery }: States): Promise<void> {
  await openPage(page, 'payment-plan', retryingPlan, 'Waits for');
  await take(page, 'plan-between-retries');
  await openUpdates(page);
  await take(page, 'plan-buttons');
  await openPage(page, 'payment-plan', suspendedPlan, 'Waits for');
  await take(page, 'plan-suspended');
  await openPage(page, 'test-clock', clock, 'Waits for');
  await take(page, 'test-clock');
  await openPage(page, 'webhook-delivery', delivery, 'Waits for');
  await take(page, 'delivery-failing');
  const failing = `WorkflowType="webhookDelivery" and DeliveryState="pending" and FailedAttempts>0 and EndpointId="${endpoint}"`;
  await page.goto(
    `${development.temporal_ui_url}/namespaces/${namespace}/workflows?query=${encodeURIComponent(failing)}`,
  );
  await page.until('the delivery is listed', `document.body.innerText.includes(${JSON.stringify(delivery)})`);
  await take(page, 'search-failing-deliveries');
  await page.goto(`${development.base_url}/ops`);
  await page.until('the page of operators is there', `document.body.innerText.includes('Due and collected')`);
  await take(page, 'ops');
}

/** Opens the tab of a workflow that has its current details, and waits until they are there. */
async function openPage(page: Page, kind: string, id: string, text: string): Promise<void> {
  const workflow = encodeURIComponent(`${kind}/${id}`);
  await page.goto(`${development.temporal_ui_url}/namespaces/${namespace}/workflows/${workflow}`);
  await page.until('the latest run is shown', `/workflows\\/[^/]+\\/[0-9a-f-]{36}\\//.test(location.href)`);
  const run = await page.read<string>('location.href.replace(/\\/[^/]*$/, "")');
  await page.goto(`${run}/user-metadata`);
  const frames = `[document, ...[...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument)]`;
  const shows = `${frames}.some((part) => part?.body?.innerText.includes(${JSON.stringify(text)}))`;
  await page.until(`${kind}/${id} shows its details`, shows);
}

/** Opens the form that sends an Update, with the list of them. */
async function openUpdates(page: Page): Promise<void> {
  await page.click('More Actions');
  await page.click('Send an Update');
  await page.click('update-select-button');
}

async function take(page: Page, name: string): Promise<void> {
  await page.until('nothing is loading', `!document.querySelector('.animate-spin, [data-testid=loading]')`);
  const png = await page.png();
  await writeFile(join(folder, `${name}.png`), png);
  console.log(`${name}.png ${Math.round(png.length / 1024)} KiB`);
}
