import { ownAddress } from '../../domain/stores/own-address.ts'

const nowhere = 'http://own.invalid'

/**
 * The text as a path (and query) of this app. Null when a browser could read it as an address
 * outside the app.
 */
export function ownPath(text: string | undefined): string | null {
  if (!text || text.length > 2048 || !text.startsWith('/') || text.startsWith('//')) return null
  const url = ownAddress(text, nowhere)
  return url && url.pathname + url.search
}
