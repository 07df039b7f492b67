// Mounts the processor's fields for a card, and has the processor save the card before our form is sent: with the
// name of its setup, and nothing of the card. The fields are in frames of the processor.
{
  const area = document.getElementById('card-fields');
  const status = document.getElementById('card-status');
  /** Where this tab remembers its setup, so that a page that is loaded again goes on with it. */
  const place = `card ${location.pathname}`;
  let present = '';
  const remembered = {
    get: () => present || stored(() => sessionStorage.getItem(place)) || '',
    /** @param {string} handle */
    set(handle) {
      present = handle;
      stored(() => sessionStorage.setItem(place, handle));
    },
    forget() {
      present = '';
      stored(() => sessionStorage.removeItem(place));
    },
  };
  /** A browser may refuse to store anything: the page works without it. */
  function stored(use) {
    try {
      return use();
    } catch {
      return null;
    }
  }
  document.getElementById('other-card')?.addEventListener('click', remembered.forget);
  if (area) mountCard(area);

  /** @param {HTMLElement} area */
  function mountCard(area) {
    const form = area.closest('form');
    const button = form.querySelector('button');
    const handle = /** @type {HTMLInputElement} */ (form.elements.namedItem('setup'));
    const signature = /** @type {HTMLInputElement} */ (form.elements.namedItem('form'));
    const radio = /** @type {HTMLInputElement} */ (form.querySelector('[name=method][value=card]'));
    /** @type {{ confirm: () => Promise<string | null> } | null} */
    let fields = null;
    let isBegun = false;

    const show = (text, isWrong = false) => {
      status.textContent = text;
      status.className = isWrong ? 'wrong' : 'faint';
    };
    const wait = (isWaiting) => {
      button.disabled = isWaiting;
      form.setAttribute('aria-busy', String(isWaiting));
    };
    const choose = () => {
      area.hidden = !radio.checked;
      if (radio.checked && !isBegun) begin();
    };

    async function begin() {
      isBegun = true;
      show('Loading the fields for your card …');
      const told = await ask();
      if (told.entered) return showEntered(told.entered);
      if (told.error) {
        isBegun = false;
        return show(told.error, true);
      }
      try {
        fields = await mount(told);
        show('');
      } catch {
        isBegun = false;
        show('The fields for the card could not be loaded. Load this page again, or choose another way to pay.', true);
      }
    }

    /** Asks for the setup of this tab. */
    async function ask() {
      try {
        const body = new URLSearchParams({ form: signature.value, setup: remembered.get() });
        const response = await fetch(area.dataset.setup, { method: 'POST', body });
        const told = await response.json();
        if (told.setup) remembered.set(told.setup);
        return told;
      } catch {
        return { error: 'The fields for the card could not be loaded. Load this page again.' };
      }
    }

    /** The card was entered before this page was loaded again. */
    function showEntered(words) {
      handle.value = remembered.get();
      show(`${words}, as you have entered it. `);
      const other = document.createElement('button');
      other.type = 'button';
      other.className = 'quiet';
      other.textContent = 'Use another card';
      other.addEventListener('click', () => {
        remembered.forget();
        handle.value = '';
        begin();
      });
      status.append(other);
    }

    async function mount({ script_url: url, publishable_key: key, client_secret: first }) {
      const page = /** @type {{ Stripe?: (key: string) => any }} */ (/** @type {unknown} */ (window));
      if (!page.Stripe) await load(url);
      const processor = page.Stripe(key);
      const { color, fontFamily } = getComputedStyle(area);
      const element = processor.elements().create('card', { style: { base: { color, fontFamily, fontSize: '17px' } } });
      element.mount('#card');
      let secret = first;
      return {
        /** Has the processor save the card. Returns what is wrong, or null. */
        async confirm() {
          const { error } = await processor.confirmCardSetup(secret, { payment_method: { card: element } });
          if (!error) return null;
          // After some refusals the setup takes no other card.
          const told = await ask();
          if (told.entered) return null;
          if (told.client_secret) secret = told.client_secret;
          return told.error ?? error.message ?? 'This card cannot be used. Try another one.';
        },
      };
    }

    function load(url) {
      return new Promise((resolve, reject) => {
        const script = document.createElement('script');
        script.src = url;
        script.onload = resolve;
        script.onerror = reject;
        document.head.append(script);
      });
    }

    form.addEventListener('submit', async (event) => {
      if (!radio.checked || handle.value !== '') return;
      event.preventDefault();
      event.stopImmediatePropagation();
      if (!fields || button.disabled) return;
      wait(true);
      show('Your card is being checked …');
      const wrong = await fields.confirm().catch(() => 'Your card could not be checked. Try again.');
      wait(false);
      if (wrong !== null) return show(wrong, true);
      handle.value = remembered.get();
      show('');
      form.requestSubmit();
    });
    form.addEventListener('change', choose);
    choose();
  }
}
