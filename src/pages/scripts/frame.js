// The script in the frame. It reports to the biller's page how high the frame is, and the method that was saved.
{
  const { origin, method } = document.querySelector('main').dataset;
  /** @param {object} message */
  const tell = (message) => {
    if (parent !== window) parent.postMessage({ from: 'payments-widget', ...message }, origin);
  };
  const tellHeight = () => tell({ type: 'height', height: Math.ceil(document.body.getBoundingClientRect().height) });
  new ResizeObserver(tellHeight).observe(document.body);
  if (method) {
    tell({ type: 'payment_method', payment_method: JSON.parse(method) });
    // The next payer in this tab enters a card of their own (card.js).
    try {
      sessionStorage.removeItem(`card ${location.pathname}`);
    } catch {}
  }
  const secret = /** @type {HTMLInputElement} */ (document.querySelector('input[name=client_secret]'));
  if (secret && secret.value === '')
    secret.value = new URLSearchParams(location.hash.slice(1)).get('client_secret') ?? '';
}
