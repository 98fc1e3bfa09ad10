/** The store that a token says it is for; read, not trusted. One that says none shares nothing. */
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
