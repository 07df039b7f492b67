const shapes =
  /(\b[sp]k_(?:sandbox|live)_|_secret_)[0-9A-Za-z]{8,}|(\bwhsec_)[0-9A-Za-z+/=%]{8,}|(:\/\/[^\s:/@]*:)[^\s/@]+(?=@)/g;

/**
 * The text with every secret cut out that can be told by its form: API keys, client secrets, signing secrets, and the
 * password of a URL. For what strangers have written, or other programs say of their failures.
 */
export function withoutSecrets(text: string): string {
  return text.replace(shapes, (_, ours = '', signing = '', url = '') => `${ours}${signing}${url}[redacted]`);
}
