import * as Type from 'typebox'
import { changeKinds } from '../script/script-config.ts'

/** Replaces an id that is not 36 characters long (requirements 8.3). */
export const zeroId = '00000000-0000-0000-0000-000000000000'
export const domSelectorId = (id: string | undefined): string => (id?.length === 36 ? id : zeroId)

export const DomAction = Type.Object(
  {
    selector: Type.String({ maxLength: 1000 }),
    kind: Type.Enum([...changeKinds]),
    /** New text, markup, value, class list or picture URL; empty for hide and remove. */
    value: Type.String({ maxLength: 20_000 }),
    /** Attribute or CSS property; empty for the other kinds. */
    name: Type.String({ maxLength: 100 }),
  },
  { additionalProperties: false },
)
export type DomAction = Type.Static<typeof DomAction>

/** Maximum number of sets of changes in a hypothesis, and of changes in one set. */
export const changeLimits = { sets: 10, changes: 50 } as const

/** One set of changes of a page element test, and the pages that it is for. */
export const DomSelector = Type.Object(
  {
    id: Type.String(),
    actions: Type.Array(DomAction, { maxItems: changeLimits.changes }),
    urlPatterns: Type.Array(Type.String({ maxLength: 1000 }), { maxItems: 20 }),
  },
  { additionalProperties: false },
)
export type DomSelector = Type.Static<typeof DomSelector>

/** Changes and the pages that they are made on. */
export type PageGroup = Pick<DomSelector, 'actions' | 'urlPatterns'>

/** All patterns of the groups, trimmed, each once. */
export const patternsOf = (groups: readonly Pick<PageGroup, 'urlPatterns'>[]): string[] => [
  ...new Set(
    groups
      .flatMap(({ urlPatterns }) => urlPatterns)
      .map(pattern => pattern.trim())
      .filter(Boolean),
  ),
]

/**
 * Groups the changes by their pages. A set that names no page applies to all pages that the other
 * sets name.
 */
export function pageGroups(domSelectors: readonly PageGroup[]): PageGroup[] {
  const groups = new Map<string, PageGroup>()
  for (const one of domSelectors) {
    const own = patternsOf([one]),
      urlPatterns = own.length > 0 ? own : patternsOf(domSelectors)
    const key = JSON.stringify(urlPatterns.toSorted())
    groups.set(key, {
      urlPatterns: groups.get(key)?.urlPatterns ?? urlPatterns,
      actions: [...(groups.get(key)?.actions ?? []), ...one.actions],
    })
  }
  return [...groups.values()]
}
