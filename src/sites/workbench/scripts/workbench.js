// Makes the workbench live, on top of pages that work without it: new events appear on their own, marks open in a
// dialog, and a handle on the axis moves the time of the dry run.
const main = document.querySelector('main');
const quietMs = 1500;
const movingMs = 300;
const parse = (text) => new DOMParser().parseFromString(text, 'text/html').querySelector('main');

async function load(url) {
  const response = await fetch(url, { redirect: 'manual' });
  // The session has ended: the page itself says what to do.
  if (response.type === 'opaqueredirect' || response.status === 401) location.reload();
  return response.ok ? parse(await response.text()) : null;
}

/** Takes over what has changed. What the reader fills in stays, and so does the focus. */
function take(fresh, sections) {
  for (const id of sections) {
    const now = document.getElementById(id);
    const then = fresh.querySelector(`#${id}`);
    if (!now || !then || now.innerHTML === then.innerHTML) continue;
    const focused = now.contains(document.activeElement) ? document.activeElement.getAttribute('href') : null;
    const scrolled = now.querySelector('.axis')?.scrollLeft ?? 0;
    now.replaceChildren(...then.childNodes);
    Object.assign(now.dataset, then.dataset);
    const axis = now.querySelector('.axis');
    if (axis) axis.scrollLeft = scrolled;
    if (focused) [...now.querySelectorAll('a')].find((a) => a.getAttribute('href') === focused)?.focus();
  }
  main.dataset.state = fresh.dataset.state;
}

const isClock = document.getElementById('axis') !== null;

async function look() {
  let waitMs = quietMs;
  try {
    if (!document.hidden && main.dataset.state !== undefined && !document.querySelector('dialog[open]')) {
      const fresh = await load(location.href);
      if (fresh && fresh.dataset.state !== main.dataset.state) {
        if (!isClock && !main.contains(document.activeElement)) {
          main.replaceChildren(...fresh.childNodes);
          main.dataset.state = fresh.dataset.state;
        }
        if (isClock) {
          const wasMoving = main.dataset.state.startsWith('advancing');
          const isMoving = fresh.dataset.state.startsWith('advancing');
          main.querySelector('.title').replaceWith(fresh.querySelector('.title'));
          if (wasMoving !== isMoving) history.replaceState(null, '', location.pathname);
          take(fresh, wasMoving !== isMoving ? ['axis', 'move', 'dry-run', 'happened'] : ['axis', 'happened']);
          addHandle();
        }
      }
      if (isClock && main.dataset.state.startsWith('advancing')) waitMs = movingMs;
    }
  } catch {
    waitMs = 5000;
  }
  setTimeout(look, waitMs);
}

/** Shows the dry run to a time, with what else the form says, and keeps it in the address. */
let asked = 0;
async function runDry(time) {
  const form = /** @type {HTMLFormElement | null} */ (document.getElementById('try'));
  if (!form) return;
  const fields = new URLSearchParams(/** @type {Record<string, string>} */ (Object.fromEntries(new FormData(form))));
  if (time) fields.set('to', time);
  const url = `${location.pathname}?${fields}`;
  const number = ++asked;
  document.getElementById('dry-run').classList.add('busy');
  const fresh = await load(url).catch(() => null);
  if (number !== asked) return;
  document.getElementById('dry-run').classList.remove('busy');
  if (!fresh) return location.assign(url);
  history.replaceState(null, '', url);
  take(fresh, ['axis', 'dry-run']);
  addHandle();
}

/** The dry run that follows a key on the handle. @type {number | undefined} */
let later;
/** A handle over the part of the axis that one advance can reach. */
function addHandle() {
  const axis = document.getElementById('axis');
  const field = /** @type {HTMLInputElement} */ (document.getElementById('to'));
  const lanes = axis?.querySelector('.lanes');
  if (!lanes || !field || lanes.querySelector('.handle')) return;
  const at = (text) => Date.parse(text.length === 10 ? `${text}T00:00Z` : text.endsWith('Z') ? text : `${text}Z`);
  const from = Date.parse(axis.dataset.from);
  const to = Date.parse(axis.dataset.to);
  const least = at(field.min);
  const most = at(field.max);
  const margin = ((to - from) * 0.015) / 0.97;
  const box = document.createElement('div');
  box.className = 'handle';
  const range = document.createElement('input');
  const label = document.createElement('output');
  const dayMs = 86400000;
  const step = most - least > 3 * dayMs ? dayMs : 3600000;
  Object.assign(range, { type: 'range', min: from - margin, max: to + margin, step: 'any', value: at(field.value) });
  range.setAttribute('aria-label', 'New time of the clock');
  const words = (ms) => new Date(ms).toISOString().slice(0, 16).replace('T', ' ');
  const clamp = (ms) => Math.min(most, Math.max(least + 1000, ms));
  function show(ms) {
    range.value = String(ms);
    const share = (ms - from + margin) / (to - from + 2 * margin);
    label.style.left = `${100 * share}%`;
    label.style.transform = `translateX(${-100 * share}%)`;
    label.value = words(ms);
    range.setAttribute('aria-valuetext', `${words(ms)} UTC`);
    const line = lanes.querySelectorAll('line.target');
    for (const each of line) for (const end of ['x1', 'x2']) each.setAttribute(end, `${100 * share}%`);
  }
  function choose(ms) {
    const chosen = clamp(ms);
    field.value = new Date(chosen).toISOString().slice(0, 19);
    show(chosen);
  }
  range.addEventListener('input', () => {
    const rounded = Math.round(Number(range.value) / step) * step;
    choose(rounded > most || Number(range.value) > most - step / 4 ? most : rounded);
  });
  range.addEventListener('change', () => runDry(field.value));
  range.addEventListener('keydown', (event) => {
    const by = {
      ArrowRight: step,
      ArrowUp: step,
      ArrowLeft: -step,
      ArrowDown: -step,
      PageUp: 7 * step,
      PageDown: -7 * step,
    }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    choose(at(field.value) + by);
    clearTimeout(later);
    later = setTimeout(async () => {
      await runDry(field.value);
      const handle = /** @type {HTMLElement} */ (document.querySelector('.handle input'));
      handle?.focus();
    }, 250);
  });
  field.addEventListener('input', () => {
    if (field.validity.valid) show(at(field.value));
  });
  box.append(range, label);
  lanes.append(box);
  show(clamp(at(field.value)));
}

/** Marks and events open in a dialog, and the page stays. */
async function open(href) {
  const fresh = await load(href).catch(() => null);
  if (!fresh) return location.assign(href);
  const dialog = document.createElement('dialog');
  const close = document.createElement('button');
  Object.assign(close, { className: 'close other', textContent: 'Close', autofocus: true });
  close.addEventListener('click', () => dialog.close());
  dialog.addEventListener('close', () => dialog.remove());
  dialog.addEventListener('click', (event) => {
    if (event.target === dialog) dialog.close();
  });
  dialog.append(close, ...fresh.childNodes);
  const title = dialog.querySelector('h1');
  if (title) {
    title.id = 'opened';
    dialog.setAttribute('aria-labelledby', 'opened');
  }
  for (const link of /** @type {NodeListOf<HTMLAnchorElement>} */ (dialog.querySelectorAll('a[href]')))
    link.href = new URL(link.getAttribute('href'), new URL(href, location.href)).href;
  for (const form of dialog.querySelectorAll('form'))
    form.action = new URL(form.getAttribute('action'), new URL(href, location.href)).href;
  document.body.append(dialog);
  dialog.showModal();
}

main.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
  const href = /** @type {Element} */ (event.target).closest('a')?.getAttribute('href');
  if (!href || !/(^|\/)events\/evt_/.test(href)) return;
  event.preventDefault();
  open(href);
});

main.addEventListener('submit', (event) => {
  if (/** @type {Element} */ (event.target).id !== 'try') return;
  event.preventDefault();
  const next = /** @type {HTMLButtonElement | null} */ (event.submitter)?.value;
  const field = /** @type {HTMLInputElement} */ (document.getElementById('to'));
  if (next) field.value = next.slice(0, 19);
  runDry(next ? next : undefined);
});

/** On a narrow screen, shows the target of the dry run first, or the present of the clock. */
function showNow() {
  const axis = document.querySelector('.axis');
  const now = axis?.querySelector('.head line.target') ?? axis?.querySelector('.head line.now');
  if (!now || axis.scrollWidth <= axis.clientWidth) return;
  axis.scrollLeft += now.getBoundingClientRect().left - axis.getBoundingClientRect().left - 0.75 * axis.clientWidth;
}

addHandle();
showNow();
setTimeout(look, quietMs);
