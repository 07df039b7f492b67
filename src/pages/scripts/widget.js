// What a biller's page loads: `Payments.widget` puts the frame into the page and reports the method that was saved.
(() => {
  const pages = new URL(/** @type {HTMLScriptElement} */ (document.currentScript).src).origin;
  const loadedWithinMs = 10000;

  function widget({
    publishableKey,
    container,
    onPaymentMethod,
    onError,
    clientSecret,
    paymentMethodTypes = ['card'],
  }) {
    const place = typeof container === 'string' ? document.querySelector(container) : container;
    if (!place) throw new TypeError('Payments.widget: container is not an element of the page.');
    if (typeof onPaymentMethod !== 'function')
      throw new TypeError('Payments.widget: onPaymentMethod must be a function.');
    const query = new URLSearchParams({
      key: publishableKey,
      origin: location.origin,
      types: paymentMethodTypes.join(),
    });
    const frame = document.createElement('iframe');
    frame.title = 'How do you want to pay?';
    Object.assign(frame.style, { width: '100%', border: '0', height: '20rem', display: 'block' });
    // Behind the #, where no server and no log sees it.
    const secret = clientSecret ? `#client_secret=${encodeURIComponent(clientSecret)}` : '';
    frame.src = `${pages}/widget/frame?${query}${secret}`;
    const timer = setTimeout(() => {
      onError?.({ code: 'not_loaded', message: `The widget did not load. Is ${location.origin} registered?` });
    }, loadedWithinMs);
    const listen = ({ source, origin, data }) => {
      if (source !== frame.contentWindow || origin !== pages || data?.from !== 'payments-widget') return;
      clearTimeout(timer);
      if (data.type === 'height') frame.style.height = `${data.height}px`;
      if (data.type === 'payment_method') onPaymentMethod(data.payment_method);
    };
    addEventListener('message', listen);
    place.replaceChildren(frame);
    return {
      remove() {
        clearTimeout(timer);
        removeEventListener('message', listen);
        frame.remove();
      },
    };
  }

  const page = /** @type {{ Payments?: object }} */ (/** @type {unknown} */ (window));
  page.Payments = Object.freeze({ ...page.Payments, widget });
})();
