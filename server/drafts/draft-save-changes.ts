import { changeField } from '../../domain/drafts/change-kind.ts'
import { pageGroups, type PageGroup } from '../../domain/drafts/dom-selector.ts'
import type { TestDraft } from '../../domain/drafts/draft.ts'
import type { storable } from '../../domain/drafts/draft-form.ts'
import type { DraftUpdate } from '../../domain/drafts/draft-update.ts'
import { priceField } from '../../domain/products/product-form.ts'

type Storable = ReturnType<typeof storable>

/**
 * The form's name for a field of the engine. The engine counts changes within each group of pages,
 * the form through all groups.
 */
export function fieldOfForm(
  field: string,
  { changes }: Pick<Storable, 'changes'>,
  { products = [] }: DraftUpdate,
): string {
  if (/^domSelectors\.\d+\.urlPatterns/.test(field)) return 'urlPatterns'
  const [, group, at] = /^domSelectors\.(\d+)\.actions\.(\d+)/.exec(field) ?? []
  if (at !== undefined) {
    const among = changes.flatMap((change, i) => ((change.group ?? 0) === Number(group) ? [i] : []))
    return changeField(
      field.replace(/(?<=^domSelectors\.\d+\.actions\.)\d+/, String(among[Number(at)] ?? at)),
    )
  }
  const [, row, price] = /^products\.(\d+)(?:\.prices\.(\d+))?/.exec(field) ?? []
  const product = products[Number(row)],
    variant = product?.prices[Number(price ?? 0)]
  if (row !== undefined)
    return product && variant ? priceField(product.id, variant.variantId) : 'products'
  return changeField(field.replace(/^schedule\./, ''))
}

/**
 * The changes, grouped by the pages they are made on. A change of a group that does not exist goes
 * to the first group.
 */
export const groupsOf = ({ changes, pages }: Pick<Storable, 'changes' | 'pages'>): PageGroup[] =>
  pages.map((urlPatterns, i) => ({
    urlPatterns,
    actions: changes
      .filter(({ group = 0 }) => (group < pages.length ? group : 0) === i)
      .map(({ group: _, ...action }) => action),
  }))

/** Whether the form has the changes that are stored, in whatever groups they are stored. */
export function changesAlike(
  { domSelectors }: TestDraft,
  parsed: Pick<Storable, 'changes' | 'pages'>,
): boolean {
  const plain = (groups: readonly PageGroup[]) =>
    JSON.stringify(
      pageGroups(groups)
        .filter(({ urlPatterns, actions }) => urlPatterns.length + actions.length > 0)
        .map(({ urlPatterns, actions }) => [
          urlPatterns,
          actions.map(({ selector, kind, value, name }) => [selector, kind, value, name]),
        ]),
    )
  return plain(domSelectors) === plain(groupsOf(parsed))
}
