/**
 * The store that a token names, which is not verified. A token that names none is its own owner, so
 * that it shares nothing.
 */
export function ownerOf(token: string): string {
  try {
    const { sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as {
      sub?: unknown
    }
    return typeof sub === 'string' && sub !== '' ? sub : token
  } catch {
    return token
  }
}
