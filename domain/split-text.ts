/** Size in bytes of a text as part of a JSON string, in UTF-8 and without its quotes. */
export function escapedSize(text: string): number {
  let bytes = 0
  for (const char of text) bytes += sizeOf(char)
  return bytes
}

/**
 * Cuts a text into pieces of at most `maxBytes`, as they are counted by `escapedSize`. No character
 * is cut in half. The pieces of an empty text are one empty text.
 */
export function splitText(text: string, maxBytes: number): string[] {
  const pieces: string[] = []
  let from = 0,
    at = 0,
    bytes = 0
  for (const char of text) {
    const size = sizeOf(char)
    if (bytes + size > maxBytes) {
      pieces.push(text.slice(from, at))
      from = at
      bytes = 0
    }
    bytes += size
    at += char.length
  }
  return [...pieces, text.slice(from)]
}

function sizeOf(char: string): number {
  const code = char.codePointAt(0)!
  if (char === '"' || char === '\\') return 2
  // Control characters and halves of pairs are written as \uXXXX, or shorter.
  if (code < 0x20 || (code >= 0xd800 && code < 0xe000)) return 6
  return code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4
}
