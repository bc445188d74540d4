/** Names as bytes, and back. UTF-8 where it can be; half a surrogate pair, which UTF-8 cannot hold, in the same scheme of bits. */

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export function bytesOf(text: string): Buffer {
  if (text.isWellFormed()) return Buffer.from(text, 'utf8');
  const parts: Buffer[] = [];
  for (const character of text) {
    const point = character.codePointAt(0) ?? 0;
    const isHalf = point >= 0xd800 && point <= 0xdfff;
    parts.push(
      isHalf
        ? Buffer.from([0xe0 | (point >> 12), 0x80 | ((point >> 6) & 0x3f), 0x80 | (point & 0x3f)])
        : Buffer.from(character, 'utf8'),
    );
  }
  return Buffer.concat(parts);
}

export function textOf(bytes: Buffer): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return generalText(bytes);
  }
}

/** Every half is three bytes of its own, the first of them 0xED and the second beyond what UTF-8 has there. */
function generalText(bytes: Buffer): string {
  let text = '';
  let from = 0;
  for (let at = 0; at + 2 < bytes.length; at++) {
    if (bytes[at] !== 0xed || bytes[at + 1] < 0xa0) continue;
    text += bytes.toString('utf8', from, at);
    text += String.fromCharCode(0xd000 | ((bytes[at + 1] & 0x3f) << 6) | (bytes[at + 2] & 0x3f));
    from = at + 3;
    at += 2;
  }
  return text + bytes.toString('utf8', from);
}

/** Bytes as PostgreSQL writes and reads them. */
export const hexOf = (bytes: Buffer): string => `\\x${bytes.toString('hex')}`;
export const bytesOfHex = (hex: string): Buffer => Buffer.from(hex.slice(2), 'hex');

/** Texts as an array of SQL, of bytes. */
export const bytesArray = (texts: readonly string[]): string =>
  `{${texts.map((text) => `"\\${hexOf(bytesOf(text))}"`).join()}}`;
