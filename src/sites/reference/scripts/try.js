// Takes a key of the sandbox, shows it in the samples, and sends requests from the page. The key is in sessionStorage:
// it is there on every page, and ends with the tab. Ids of objects from responses are kept with it, and replace the ids
// of the examples.
{
  const dialog = /** @type {HTMLDialogElement | null} */ (document.querySelector('dialog.key'));
  const keyPattern = /^sk_sandbox_[0-9A-Za-z]{43}$/;
  const idPattern = /\b([a-z]{2,4})_(?:sandbox_)?[0-9A-Za-z]{32}\b/g;
  const readKey = () => sessionStorage.getItem('api_key');
  const readIds = () => JSON.parse(sessionStorage.getItem('ids') ?? '{}');
  const withOwnIds = (text) => {
    const ids = readIds();
    return text.replace(idPattern, (id, prefix) => ids[prefix] ?? id);
  };
  const element = (name, text = '', className = '') => {
    const made = document.createElement(name);
    made.textContent = text;
    if (className) made.className = className;
    return made;
  };

  const refusalOf = (text) => {
    if (/^[sp]k_live_/.test(text))
      return 'This is a key of live mode. Do not paste it into any page. Use a secret key of the sandbox.';
    if (/^pk_/.test(text))
      return 'This is a publishable key. Use a secret key of the sandbox: sk_sandbox_ and 43 characters.';
    return 'This is not a sandbox key: it must be sk_sandbox_ and 43 characters.';
  };

  const openings = {
    TypeScript: (url, key) =>
      "import { PaymentsClient } from '@payments-service/client';\n\n" +
      "const payments = new PaymentsClient({ baseUrl: '" +
      url +
      "', apiKey: '" +
      key +
      "' });",
    Python: (url, key) =>
      'from payments_service import PaymentsClient\n\n' +
      'payments = PaymentsClient(base_url="' +
      url +
      '", api_key="' +
      key +
      '")',
    Go: (url, key) =>
      'client, err := payments.NewClient(payments.Config{BaseURL: "' +
      url +
      '", APIKey: "' +
      key +
      '"})\n' +
      'if err != nil {\n\treturn err\n}',
  };
  const written = new Map();
  const showKey = () => {
    const key = readKey();
    for (const sample of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll('.samples details'))) {
      const code = sample.querySelector('code');
      if (!written.has(code)) written.set(code, [...code.childNodes]);
      code.replaceChildren(...written.get(code).map((node) => node.cloneNode(true)));
      if (key === null) continue;
      const opening = openings[sample.dataset.language];
      if (opening) code.prepend(element('span', `${opening(location.origin, key)}\n`));
      const texts = document.createTreeWalker(code, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const node = /** @type {Text} */ (texts.currentNode);
        node.data = withOwnIds(node.data.replaceAll('$BASE_URL', location.origin).replaceAll('$API_KEY', key));
      }
    }
    opener.textContent = key === null ? 'Your key' : `Key …${key.slice(-4)}`;
    const forgetting = /** @type {HTMLElement} */ (dialog.querySelector('[value=forget]'));
    forgetting.hidden = key === null;
  };

  const opener = element('button', '', 'other');
  let afterwards = null;
  const askForKey = (then = null) => {
    afterwards = then;
    dialog.querySelector('.refused').textContent = '';
    dialog.showModal();
  };
  const take = (event) => {
    event.preventDefault();
    const input = dialog.querySelector('input');
    const given = input.value.trim();
    input.value = '';
    if (!keyPattern.test(given)) {
      dialog.querySelector('.refused').textContent = refusalOf(given);
      return input.focus();
    }
    if (given !== readKey()) sessionStorage.removeItem('ids');
    sessionStorage.setItem('api_key', given);
    const then = afterwards;
    dialog.close();
    showKey();
    then?.();
  };
  const forget = () => {
    sessionStorage.removeItem('api_key');
    sessionStorage.removeItem('ids');
    dialog.close();
    showKey();
  };

  const remember = (text, isDeletion) => {
    const ids = readIds();
    const found = {};
    for (const [id, prefix] of text.matchAll(idPattern)) found[prefix] ??= id;
    for (const [prefix, id] of Object.entries(found)) {
      if (!isDeletion) ids[prefix] = id;
      else if (ids[prefix] === id) delete ids[prefix];
    }
    sessionStorage.setItem('ids', JSON.stringify(ids));
  };
  /**
   * Text as code; JSON on several lines, with the colours of the samples. Marks that change the direction of text are
   * shown as escapes, so that each value stands where it belongs.
   */
  const codeOf = (answer) => {
    const code = element('code');
    const text = answer.replace(
      /\p{Bidi_Control}/gu,
      (mark) => `\\u${mark.charCodeAt(0).toString(16).padStart(4, '0')}`,
    );
    try {
      const lines = JSON.stringify(JSON.parse(answer), null, 2);
      const values = /"(?:[^"\\]|\\.)*"(:?)|(?<=[ [])(?:-?[0-9.e+-]+|true|false|null)(?=,|$)/gm;
      let end = 0;
      for (const { index, 0: part, 1: colon } of lines.matchAll(values)) {
        if (colon) continue;
        code.append(lines.slice(end, index), element('span', part, part.startsWith('"') ? 's' : 'n'));
        end = index + part.length;
      }
      code.append(lines.slice(end));
    } catch {
      code.textContent = text;
    }
    return code;
  };

  const send = async (form) => {
    const key = readKey();
    const isPublic = 'public' in form.dataset;
    if (key === null && !isPublic) return askForKey(() => send(form));
    const { method } = form.dataset;
    const inputs = [...form.querySelectorAll('input')];
    const pathValueOf = (name) => encodeURIComponent(form.elements[name].value.trim());
    const path = form.dataset.path.replace(/\{(\w+)\}/g, (_, name) => pathValueOf(name));
    const query = new URLSearchParams(
      inputs
        .filter(({ dataset, value }) => dataset.in === 'query' && value !== '')
        .map(({ name, value }) => [name, value]),
    ).toString();
    const body = form.elements.body?.value;
    const headers = { ...(isPublic ? {} : { Authorization: `Bearer ${key}` }) };
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    const status = form.querySelector('[role=status]');
    const button = form.querySelector('button');
    const began = performance.now();
    button.disabled = true;
    status.replaceChildren(element('p', 'Sending …', 'faint'));
    try {
      const sent = /** @type {RequestInit} */ ({
        method,
        headers,
        body,
        signal: AbortSignal.timeout(60000),
        cache: 'no-store',
        credentials: 'omit',
        redirect: 'error',
      });
      const response = await fetch(path + (query && `?${query}`), sent);
      const text = await response.text();
      const took = Math.round(performance.now() - began);
      const words = [`${response.status} in ${took} ms`, response.headers.get('request-id')];
      const block = element('pre');
      block.tabIndex = 0;
      block.append(codeOf(text));
      status.replaceChildren(
        element('p', words.join(', '), response.ok ? 'good' : 'refused'),
        ...(text === '' ? [] : [block]),
      );
      if (response.ok) {
        remember(text, method === 'DELETE');
        showKey();
      }
    } catch {
      status.replaceChildren(element('p', 'The service has not responded.', 'refused'));
    } finally {
      button.disabled = false;
    }
  };

  if (dialog !== null) {
    opener.addEventListener('click', () => askForKey());
    document.querySelector(innerWidth > 768 ? 'header' : 'nav').append(opener);
    dialog.querySelector('form').addEventListener('submit', take);
    dialog.querySelector('[value=forget]').addEventListener('click', forget);
    dialog.querySelector('[value=cancel]').addEventListener('click', () => dialog.close());
    for (const template of /** @type {NodeListOf<HTMLTemplateElement>} */ (document.querySelectorAll('template.try'))) {
      const around = element('details', '', 'try');
      const copy = template.content.cloneNode(true);
      around.append(element('summary', 'Try it'), copy);
      const form = around.querySelector('form');
      around.addEventListener('toggle', () => {
        const ids = readIds();
        for (const input of form.querySelectorAll('[data-like]')) {
          if (input.value === '') input.value = ids[input.dataset.like.split('_')[0]] ?? '';
        }
        if (form.elements.body) form.elements.body.value = withOwnIds(form.elements.body.value);
      });
      const others = [...template.parentElement.querySelectorAll('details.example')];
      if (form.elements.body && others.length > 0) {
        const label = element('label', 'Example ');
        const select = element('select');
        select.append(new Option('the sample’s example', form.elements.body.value));
        for (const other of others) {
          select.append(new Option(other.firstElementChild.textContent, other.querySelector('code').textContent));
        }
        select.addEventListener('change', () => {
          form.elements.body.value = withOwnIds(select.value);
        });
        label.append(select);
        form.elements.body.parentElement.before(label);
      }
      form.addEventListener('submit', (event) => {
        event.preventDefault();
        send(form);
      });
      template.replaceWith(around);
    }
    showKey();
  }
}
