import type { Posted } from '../posted.ts'

/** What is looked through when products are added to a price test: all of it stands in the dialog's address, so that it needs no script. */
export type ProductPick = {
  search: string
  /** A page of what is found; null for the first. */
  at: CursorAt | null
  /** The product whose product variants are listed, and the page of them. */
  variants: { productId: string; at: CursorAt | null } | null
  /** Products that are ticked, on whatever page. */
  picked: string[]
}
export type CursorAt = { direction: 'forward' | 'backward'; cursor: string }

/** Most products that are added at once. */
export const maxPicked = 100

export const cursorText = ({ direction, cursor }: CursorAt): string => `${direction}:${cursor}`
export const variantsText = (productId: string, at: CursorAt | null = null): string =>
  `${encodeURIComponent(productId)}${at ? `:${cursorText(at)}` : ''}`

/** Reads what an address or a form asks for; what cannot be is as if it were not there. */
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
