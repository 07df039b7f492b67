// Search as you type, samples in one language, copying, and light or dark. The pages work without it.
{
  const input = /** @type {HTMLInputElement} */ (document.querySelector('header input'));
  const found = document.createElement('div');
  found.id = 'found';
  found.hidden = true;
  input.form.append(found);
  let latest = 0;
  input.addEventListener('input', () => {
    const turn = ++latest;
    setTimeout(async () => {
      if (turn !== latest) return;
      if (input.value.trim() === '') {
        found.hidden = true;
        return;
      }
      const response = await fetch(`/docs/search?q=${encodeURIComponent(input.value)}`);
      const page = new DOMParser().parseFromString(await response.text(), 'text/html');
      const results = page.getElementById('results');
      if (turn !== latest || results === null) return;
      results.removeAttribute('id');
      found.replaceChildren(results);
      found.hidden = false;
    }, 120);
  });
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') found.hidden = true;
    if (event.key !== '/' || /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    input.focus();
  });
  document.addEventListener('click', (event) => {
    if (!input.form.contains(/** @type {Node} */ (event.target))) found.hidden = true;
  });

  const samples = /** @type {HTMLDetailsElement[]} */ ([...document.querySelectorAll('.samples details')]);
  const show = (language) => {
    for (const one of samples) one.open = one.dataset.language === language;
  };
  const kept = localStorage.getItem('language');
  if (samples.some((one) => one.dataset.language === kept)) show(kept);
  for (const one of samples) {
    one.firstElementChild.addEventListener('click', (event) => {
      event.preventDefault();
      const before = one.getBoundingClientRect().top || one.firstElementChild.getBoundingClientRect().top;
      show(one.dataset.language);
      localStorage.setItem('language', one.dataset.language);
      scrollBy(0, (one.getBoundingClientRect().top || one.firstElementChild.getBoundingClientRect().top) - before);
    });
  }
  if (location.hash) document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  const nav = document.querySelector('nav');
  const current = /** @type {HTMLElement} */ (nav.querySelector('[aria-current]'));
  nav.scrollTop = (current?.offsetTop ?? 0) - 160;

  for (const block of document.querySelectorAll('pre')) {
    const around = document.createElement('div');
    const button = document.createElement('button');
    around.className = 'copied';
    button.className = 'other';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.textContent);
      button.textContent = 'Copied';
      setTimeout(() => {
        button.textContent = 'Copy';
      }, 2000);
    });
    block.replaceWith(around);
    around.append(block, button);
  }

  const scheme = document.createElement('button');
  scheme.className = 'other';
  const isDark = () => {
    const chosen = document.documentElement.style.colorScheme;
    return chosen === '' ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
  };
  const label = () => {
    scheme.textContent = isDark() ? 'Light' : 'Dark';
  };
  document.documentElement.style.colorScheme = localStorage.getItem('scheme') ?? '';
  scheme.addEventListener('click', () => {
    document.documentElement.style.colorScheme = isDark() ? 'light' : 'dark';
    localStorage.setItem('scheme', document.documentElement.style.colorScheme);
    label();
  });
  label();
  // There is no room for buttons at the top of a phone.
  document.querySelector(innerWidth > 768 ? 'header' : 'nav').append(scheme);
}
