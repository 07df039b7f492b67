// Says the deadlines of a page in the time zone of the browser. The page works without it.
for (const time of document.querySelectorAll('time[data-local]')) {
  const at = new Date(/** @type {HTMLTimeElement} */ (time).dateTime);
  const date = /** @type {const} */ ({ day: 'numeric', month: 'long', year: 'numeric' });
  const clock = /** @type {const} */ ({ hour: 'numeric', minute: '2-digit', timeZoneName: 'long' });
  time.textContent = new Intl.DateTimeFormat('en-AU', { ...date, ...clock }).format(at);
}
