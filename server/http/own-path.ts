import { ownAddress } from '../../domain/stores/own-address.ts'

const nowhere = 'http://own.invalid'

/** The text as a path (and query) of this app, or null when a browser could read it as leading anywhere else. */
export function ownPath(text: string | undefined): string | null {
  if (!text || text.length > 2048 || !text.startsWith('/') || text.startsWith('//')) return null
  const url = ownAddress(text, nowhere)
  return url && url.pathname + url.search
}
