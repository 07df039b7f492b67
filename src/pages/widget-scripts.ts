/**
 * What a biller's page loads. It puts the frame into the page, and calls back with what the frame sends, which counts
 * only if it comes from this frame and the pages' own origin.
 */
export const widgetScript = `
(() => {
  const pages = new URL(document.currentScript.src).origin;
  const loadedWithinMs = 10000;

  function widget({ publishableKey, container, onPaymentMethod, onError, clientSecret, paymentMethodTypes = ['card'] }) {
    const place = typeof container === 'string' ? document.querySelector(container) : container;
    if (!place) throw new TypeError('Payments.widget: container is not an element of the page.');
    if (typeof onPaymentMethod !== 'function') throw new TypeError('Payments.widget: onPaymentMethod must be a function.');
    const query = new URLSearchParams({ key: publishableKey, origin: location.origin, types: paymentMethodTypes.join() });
    const frame = document.createElement('iframe');
    frame.title = 'How do you want to pay?';
    Object.assign(frame.style, { width: '100%', border: '0', height: '20rem', display: 'block' });
    // Behind the #, where no server and no log sees it.
    const secret = clientSecret ? '#client_secret=' + encodeURIComponent(clientSecret) : '';
    frame.src = pages + '/widget/frame?' + query + secret;
    const timer = setTimeout(() => {
      onError?.({ code: 'not_loaded', message: 'The widget did not load. Is ' + location.origin + ' registered?' });
    }, loadedWithinMs);
    const listen = ({ source, origin, data }) => {
      if (source !== frame.contentWindow || origin !== pages || data?.from !== 'payments-widget') return;
      clearTimeout(timer);
      if (data.type === 'height') frame.style.height = data.height + 'px';
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

  window.Payments = Object.freeze({ ...window.Payments, widget });
})();
`;

/** The script in the frame. It tells the biller's page how high the frame is, and the method that was saved. */
export const frameScript = `
const { origin, method } = document.querySelector('main').dataset;
const tell = (message) => {
  if (parent !== window) parent.postMessage({ from: 'payments-widget', ...message }, origin);
};
const tellHeight = () => tell({ type: 'height', height: Math.ceil(document.body.getBoundingClientRect().height) });
new ResizeObserver(tellHeight).observe(document.body);
if (method) tell({ type: 'payment_method', payment_method: JSON.parse(method) });
const secret = document.querySelector('input[name=client_secret]');
if (secret && secret.value === '') secret.value = new URLSearchParams(location.hash.slice(1)).get('client_secret') ?? '';
`;
