import { listTabs, type ListTab } from '../domain/tests/ab-test.ts'
import type { Output } from '../domain/api/contract.ts'
import { formatCount } from '../domain/figures.ts'
import type { ListFilter } from '../domain/tests/list-filter.ts'
import { statusLabels } from '../domain/tests/test-status.ts'
import { listPath } from './list-links.tsx'

export type FoundIn = Output<'tests'>['foundIn']

export const tabLabels: Record<ListTab, string> = { ...statusLabels, Draft: 'Drafts' }

/** A search covers one tab. These links lead to its results in the other tabs. */
export function FoundElsewhere({
  tab,
  filter: { search, kind, goal },
  foundIn,
}: {
  tab: ListTab
  filter: ListFilter
  foundIn: FoundIn
}) {
  const others = listTabs.filter(name => name !== tab && foundIn?.[name])
  if (others.length === 0) return null
  return (
    <p class="note found-elsewhere">
      Also found:{' '}
      {others.map((name, i) => (
        <>
          {i > 0 && ', '}
          <a href={listPath({ tab: name, search, kind, goal })}>
            {formatCount(foundIn![name])} in {tabLabels[name]}
          </a>
        </>
      ))}
    </p>
  )
}
