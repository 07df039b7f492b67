const shapes =
  /([spr]k_(?:sandbox|live|test)_|_secret_)[0-9A-Za-z]{8,}|(wh(?:sec|c)_)[0-9A-Za-z+/=%_-]{8,}|(:\/\/[^\s:/@]*:)[^\s/@]+(?=@)/g;

/** How many rounds of percent-encoding are decoded. A text with more rounds is redacted whole. */
const decodedAtMost = 4;

/**
 * Returns the text without the secrets that are recognizable by their form: API keys, client secrets, webhook signing
 * secrets and challenges, and the password in a URL. Percent-encoded secrets are found too, at any depth. For text from
 * strangers, and for error messages of other programs.
 */
export function withoutSecrets(text: string): string {
  const plain = cut(text);
  let decoded = plain;
  for (let times = 0; /%[2-7][0-9a-f]/i.test(decoded); times++) {
    if (times === decodedAtMost) return '[redacted]';
    decoded = decode(decoded);
    const safe = cut(decoded);
    // Another secret may be encoded more deeply next to this one.
    if (safe !== decoded) return withoutSecrets(safe);
  }
  return plain;
}

function cut(text: string): string {
  return text.replace(shapes, (_, ours = '', webhook = '', url = '') => `${ours}${webhook}${url}[redacted]`);
}

/** Undoes one round of percent-encoding, for printable ASCII only: secrets contain nothing else. */
function decode(text: string): string {
  // %252525 is a percent sign that was encoded three times. It is decoded in one round; otherwise two bytes would buy
  // an attacker another round.
  return text
    .replace(/%(?:25)+/g, '%')
    .replace(/%([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/**
 * What an operator may see of a biller's URL: scheme, host and port. Its path and query may hold secrets. A text that
 * is no URL gives "an unknown address".
 */
export function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an unknown address';
}
