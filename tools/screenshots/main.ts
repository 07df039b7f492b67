// Takes the pictures of docs/images from a running service: npm run screenshots [-- --data-dir DIR]
// With --only payers, workbench, dashboard or reference it takes those of one part alone. It makes what they show in
// the sandbox of the demo biller, and takes it away again. Needs a Chromium on PATH.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findChromium, openBrowser, type Tab } from '../../lab/browser.ts';
import { clientOf } from '../../lab/client.ts';
import { readDevelopment } from '../../lab/service.ts';
import { takeDashboard } from './dashboard.ts';
import { click, until } from './page.ts';
import { takePayersPages } from './payers.ts';
import { takeReference } from './reference.ts';
import { makeStates, removeStates, type States } from './states.ts';
import { makeWorkbench, removeWorkbench, type WorkbenchStates } from './workbench.ts';

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url));
/** Large enough for a page to be seen whole, and its picture below 200 KiB. */
const view = { width: 1280, height: 1240, scale: 0.75, scheme: 'light', isMobile: false } as const;
const namespace = 'payments';

const { values } = parseArgs({
  options: { 'data-dir': { type: 'string', default: '.data' }, only: { type: 'string' } },
});
const development = await readDevelopment(join(values['data-dir'], 'development.json'));
const api = clientOf(development);

const program = await findChromium();
if (program === null) throw new Error('No Chromium is on PATH.');

await mkdir(folder, { recursive: true });
const browser = await openBrowser(program, [`--window-size=${view.width},${view.height}`]);
try {
  if (values.only === undefined) {
    const states = await makeStates(api);
    await takeAll(await browser.open(view), states).finally(() => removeStates(api, states));
  }
  if (isWanted('payers')) await takePayersPages(browser, api, development, take);
  if (isWanted('workbench')) {
    const clocks = await makeWorkbench(api);
    await takeWorkbench(await browser.open(view), clocks).finally(() => removeWorkbench(api, clocks));
  }
  if (isWanted('dashboard')) await takeDashboard(await browser.open(view), api, development.baseUrl, take);
  if (isWanted('reference')) await takeReference(development, browser.open, take);
} finally {
  await browser.close();
}

function isWanted(part: 'payers' | 'workbench' | 'dashboard' | 'reference'): boolean {
  return values.only === undefined || values.only === part;
}

async function takeWorkbench(page: Tab, { clock, event }: WorkbenchStates): Promise<void> {
  await page.goto(`${development.baseUrl}/workbench`);
  const home = await page.evaluate<string>('location.href');
  await page.goto(`${home}clocks/${clock}?to=2028-03-06&outcome=decline_once`);
  await until(page, 'the handle is there', `document.querySelector('.handle')`);
  await take(page, 'workbench');
  await page.goto(`${home}events/${event}`);
  await take(page, 'workbench-event');
}

async function takeAll(page: Tab, { retryingPlan, suspendedPlan, clock, endpoint, delivery }: States): Promise<void> {
  await openPage(page, 'payment-plan', retryingPlan, 'Waits for');
  await take(page, 'plan-between-retries');
  await openUpdates(page);
  await take(page, 'plan-commands');
  await openPage(page, 'payment-plan', suspendedPlan, 'Waits for');
  await take(page, 'plan-suspended');
  await openPage(page, 'test-clock', clock, 'Waits for');
  await take(page, 'test-clock');
  await openPage(page, 'webhook-delivery', delivery, 'Waits for');
  await take(page, 'delivery-failing');
  const failing = `WorkflowType="webhookDelivery" and DeliveryState="pending" and FailedAttempts>0 and EndpointId="${endpoint}"`;
  await page.goto(`${development.uiUrl}/namespaces/${namespace}/workflows?query=${encodeURIComponent(failing)}`);
  await until(page, 'the delivery is listed', `document.body.innerText.includes(${JSON.stringify(delivery)})`);
  await take(page, 'search-failing-deliveries');
  await page.goto(`${development.baseUrl}/ops`);
  await until(page, 'the page of operators is there', `document.body.innerText.includes('Due and collected')`);
  await take(page, 'ops');
}

/** Opens the tab of a workflow that has its current details, and waits until they are there. */
async function openPage(page: Tab, kind: string, id: string, text: string): Promise<void> {
  const workflow = encodeURIComponent(`${kind}/${id}`);
  await page.goto(`${development.uiUrl}/namespaces/${namespace}/workflows/${workflow}`);
  await until(page, 'the latest run is shown', `/workflows\\/[^/]+\\/[0-9a-f-]{36}\\//.test(location.href)`);
  const run = await page.evaluate<string>('location.href.replace(/\\/[^/]*$/, "")');
  await page.goto(`${run}/user-metadata`);
  const frames = `[document, ...[...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument)]`;
  const shows = `${frames}.some((part) => part?.body?.innerText.includes(${JSON.stringify(text)}))`;
  await until(page, `${kind}/${id} shows its details`, shows);
}

/** Opens the form that sends an Update, with the list of them. */
async function openUpdates(page: Tab): Promise<void> {
  await click(page, 'More Actions');
  await click(page, 'Send an Update');
  await click(page, 'update-select-button');
}

async function take(page: Tab, name: string): Promise<void> {
  await until(page, 'nothing is loading', `!document.querySelector('.animate-spin, [data-testid=loading]')`);
  const png = await page.picture();
  await writeFile(join(folder, `${name}.png`), png);
  console.log(`${name}.png ${Math.round(png.length / 1024)} KiB`);
}
