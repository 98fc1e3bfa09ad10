import type { Posted } from '../posted.ts'

/**
 * The state of the dialog that adds products to a price test. All of it is in the dialog's address,
 * so that it works without scripts.
 */
export type ProductPick = {
  search: string
  /** The page of the results; null for the first. */
  at: CursorAt | null
  /** The product whose product variants are listed, and the page of that list. */
  variants: { productId: string; at: CursorAt | null } | null
  /** Ids of the ticked products, on all pages. */
  picked: string[]
}
export type CursorAt = { direction: 'forward' | 'backward'; cursor: string }

/** Maximum number of products that can be added at once. */
export const maxPicked = 100

export const cursorText = ({ direction, cursor }: CursorAt): string => `${direction}:${cursor}`
export const variantsText = (productId: string, at: CursorAt | null = null): string =>
  `${encodeURIComponent(productId)}${at ? `:${cursorText(at)}` : ''}`

/** Reads the state from an address or a form. Values that are not valid are ignored. */
export function readPick(fields: Posted): ProductPick {
  const text = (name: string) => {
    const value = fields[name]
    return typeof value === 'string' ? value : (value?.at(-1) ?? '')
  }
  const [product = '', ...page] = text('variants').split(':')
  const productId = decoded(product)
  // Another search begins at its first page.
  const isFresh = text('fresh') !== ''
  return {
    search: text('search').trim().slice(0, 200),
    at: isFresh ? null : readCursor(text('at')),
    variants: productId && !isFresh ? { productId, at: readCursor(page.join(':')) } : null,
    picked: [
      ...new Set([fields['picked'] ?? []].flat().filter(id => id !== '' && id.length <= 64)),
    ],
  }
}

function readCursor(text: string): CursorAt | null {
  const [, direction, cursor] = /^(forward|backward):(.{1,500})$/.exec(text) ?? []
  return direction && cursor ? { direction: direction as CursorAt['direction'], cursor } : null
}

function decoded(text: string): string {
  try {
    const id = decodeURIComponent(text)
    return id.length <= 64 ? id : ''
  } catch {
    return ''
  }
}
