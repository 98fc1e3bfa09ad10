/**
 * A merchant's words as a search: each must begin a word of what is found. Signs of the search's
 * own language are left out, so that words stay words. Null for no words, which finds everything.
 */
export function searchWords(text: string): string | null {
  const words = text
    .replaceAll(/["'\\():*<>=,/-]+/g, ' ')
    .split(/\s+/)
    .filter(word => word !== '' && !/^(AND|OR|NOT)$/.test(word))
  return words.length > 0 ? words.map(word => `${word}*`).join(' AND ') : null
}
