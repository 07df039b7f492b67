import { setTimeout as pause } from 'node:timers/promises';
import type { Tab } from '../../lab/browser.ts';
import { eventually } from '../../lab/eventually.ts';

/** Menus and forms of the Web UI open slowly. */
const animationMs = 1_000;

/** Waits until the expression is true in the page. */
export async function until(tab: Tab, what: string, expression: string): Promise<void> {
  await eventually(what, () => tab.evaluate<boolean>(`Boolean(${expression})`).catch(() => false), { everyMs: 100 });
}

/**
 * Clicks the button, link or menu entry with this test id, or whose text begins so; of several the last, which lies on
 * top.
 */
export async function click(tab: Tab, text: string): Promise<void> {
  const name = JSON.stringify(text);
  const found = `[...document.querySelectorAll('button, a, [role=menuitem], [role=option], [role=combobox]')]
    .filter((element) => element.checkVisibility())
    .filter(({ dataset, textContent: text }) => dataset.testid === ${name} || text.trim().startsWith(${name}))
    .at(-1)`;
  await until(tab, `"${text}" can be clicked`, found);
  await tab.evaluate(`${found}.click()`);
  await pause(animationMs);
}
