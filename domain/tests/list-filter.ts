import type { ListTab } from './ab-test.ts'
import { type Goal, goalNames, goals } from '../reports/goal.ts'
import { type TestKind, testKindNames, testKinds } from './test-kind.ts'

/** The filters of the list, in addition to its tab. */
export type ListFilter = { search: string; kind: TestKind | null; goal: Goal | null }

/** The values in addresses: `page-element`, `cvr`. */
export const kindSlug = (kind: TestKind): string => kind.replace(/\B[A-Z]/g, '-$&').toLowerCase()
export const goalSlug = (goal: Goal): string => goals[goal].short.toLowerCase()
export const kindOfSlug = (slug: string | null): TestKind | null =>
  testKindNames.find(kind => kindSlug(kind) === slug) ?? null
export const goalOfSlug = (slug: string | null): Goal | null =>
  goalNames.find(goal => goalSlug(goal) === slug) ?? null

export const isFiltered = ({ search, kind, goal }: ListFilter): boolean =>
  Boolean(search || kind || goal)

/** The words for an empty result: what was searched for, and how to clear it. */
export function nothingFound(
  tab: ListTab,
  { search, kind, goal }: ListFilter,
): { title: string; text: string; clear: string } {
  const filters = [
    ...(kind ? [`kind: ${testKinds[kind].label}`] : []),
    ...(goal ? [`goal: ${goals[goal].label}`] : []),
  ].join(', ')

  if (!filters)
    return {
      title: `Nothing is called “${search}”`,
      text: 'The search looks at names in this tab.',
      clear: 'Clear the search',
    }
  return {
    title: search
      ? `Nothing is called “${search}” with these filters`
      : `No ${tab === 'Draft' ? 'draft' : 'test'} matches these filters`,
    text: `You filter by ${filters}. They apply to this tab.`,
    clear: search ? 'Clear search and filters' : 'Clear the filters',
  }
}
