const shapes =
  /(\b[sp]k_(?:sandbox|live)_|_secret_)[0-9A-Za-z]{8,}|(\bwh(?:sec|c)_)[0-9A-Za-z+/=%_-]{8,}|(:\/\/[^\s:/@]*:)[^\s/@]+(?=@)/g;

/**
 * The text with every secret cut out that can be told by its form: API keys, client secrets, signing secrets and challenges
 * of webhooks, and the password of a URL. For what strangers have written, or other programs say of their failures.
 */
export function withoutSecrets(text: string): string {
  return text.replace(shapes, (_, ours = '', webhook = '', url = '') => `${ours}${webhook}${url}[redacted]`);
}
