import type { ComponentChildren } from 'preact'
import type { ListTab } from '../../domain/tests/ab-test.ts'
import { isFiltered, nothingFound, type ListFilter } from '../../domain/tests/list-filter.ts'
import { paths } from '../../domain/paths.ts'
import { FoundElsewhere, type FoundIn } from '../found-elsewhere.tsx'
import { listPath } from '../list-links.tsx'

const words: Record<ListTab, { title: string; text: string }> = {
  Active: {
    title: 'No test is running',
    text: 'Pick a page, change one thing, and see which version sells more.',
  },
  Scheduled: {
    title: 'Nothing is scheduled',
    text: 'Tests that you launch for a later day are listed here until they start.',
  },
  Paused: {
    title: 'No test is paused',
    text: 'A paused test shows the control to everyone and counts nothing. You resume it from this list or from its report.',
  },
  OnHold: {
    title: 'No test is on hold',
    text: 'We put a test on hold when something it needs is missing, such as its page or visitors left in your plan.',
  },
  Suspended: {
    title: 'No test is suspended',
    text: 'Tests are suspended while your subscription is not active.',
  },
  Ended: { title: 'No test has ended yet', text: 'The results of ended tests are kept here.' },
  Draft: {
    title: 'No drafts',
    text: 'Tests that you build and have not launched yet are kept here.',
  },
}

/** An empty tab says what would be in it, and what to do next. */
export function TestsEmpty({
  tab,
  filter,
  hasAny,
  foundIn = null,
}: {
  tab: ListTab
  filter: ListFilter
  hasAny: boolean
  foundIn?: FoundIn
}) {
  if (isFiltered(filter)) {
    const { title, text, clear } = nothingFound(tab, filter)
    return (
      <Empty title={title} text={text}>
        <FoundElsewhere filter={filter} tab={tab} foundIn={foundIn} />
        <a class="button secondary" href={listPath({ tab })}>
          {clear}
        </a>
      </Empty>
    )
  }
  const { title, text } =
    tab === 'Active' && !hasAny ? { ...words.Active, title: 'No tests yet' } : words[tab]
  return (
    <Empty title={title} text={text}>
      {(tab === 'Active' || tab === 'Draft') && (
        <a class="button" href={paths.draft()}>
          Create a test
        </a>
      )}
    </Empty>
  )
}

const Empty = ({
  title,
  text,
  children,
}: {
  title: string
  text: string
  children: ComponentChildren
}) => (
  <div class="empty">
    <svg viewBox="0 0 72 56" aria-hidden="true">
      <rect class="shelf" x="4" y="24" width="64" height="3" rx="1.5" />
      <rect class="shelf" x="4" y="52" width="64" height="3" rx="1.5" />
      <rect class="ghost" x="14" y="6.5" width="14" height="16" rx="3" />
      <rect class="ghost-accent" x="42" y="34.5" width="14" height="16" rx="3" />
    </svg>
    <h2>{title}</h2>
    <p>{text}</p>
    <div class="row">{children}</div>
  </div>
)
