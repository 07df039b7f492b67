const shapes =
  /([sp]k_(?:sandbox|live)_|_secret_)[0-9A-Za-z]{8,}|(wh(?:sec|c)_)[0-9A-Za-z+/=%_-]{8,}|(:\/\/[^\s:/@]*:)[^\s/@]+(?=@)/g;

/** Of percent-encoding: how often a text is decoded. What is encoded more often is withheld whole. */
const decodedAtMost = 4;

/**
 * The text with every secret cut out that can be told by its form: API keys, client secrets, signing secrets and challenges
 * of webhooks, and the password of a URL; also where it is percent-encoded, as often as somebody likes. For what strangers
 * have written, or other programs say of their failures.
 */
export function withoutSecrets(text: string): string {
  const plain = cut(text);
  let decoded = plain;
  for (let times = 0; /%[2-7][0-9a-f]/i.test(decoded); times++) {
    if (times === decodedAtMost) return '[redacted]';
    decoded = decode(decoded);
    const safe = cut(decoded);
    // One that is hidden deeper may be beside it.
    if (safe !== decoded) return withoutSecrets(safe);
  }
  return plain;
}

function cut(text: string): string {
  return text.replace(shapes, (_, ours = '', webhook = '', url = '') => `${ours}${webhook}${url}[redacted]`);
}

/** Undoes one round of percent-encoding, of printable ASCII alone: secrets consist of nothing else. */
function decode(text: string): string {
  // %252525 is a percent sign that was encoded thrice: taken as one, or rounds could be had at two bytes each.
  return text
    .replace(/%(?:25)+/g, '%')
    .replace(/%([2-7][0-9a-f])/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}
