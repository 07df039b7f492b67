/** Addresses to which every client sends a key. Nothing listens on their port. */
export const encryptedOrHere = [
  'https://127.0.0.1:1',
  'https://0.0.0.0:1',
  'http://127.0.0.1:1',
  'http://127.9.9.9:1',
  'http://localhost:1',
  'HTTP://LOCALHOST:1',
  'http://[::1]:1',
];

/** It is no address of this machine by its form, but a connection to it leads nowhere else. */
export const anyAddress = 'http://0.0.0.0:1';

/** Addresses to which no client sends a key, unless plain http is allowed. */
export const plainElsewhere = [
  anyAddress,
  'http://payments.example',
  'http://10.0.0.1',
  'http://128.0.0.1',
  'http://[::2]',
  'http://localhost.payments.example',
  'http://127.0.0.1.payments.example',
  'http://payments.example/127.0.0.1',
  'http://payments.example#@localhost',
];
