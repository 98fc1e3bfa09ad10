import type { ComponentChildren } from 'preact'
import type { ListTab } from '../domain/ab-test.ts'
import { paths } from '../domain/paths.ts'

const words: Record<ListTab, { title: string; text: string }> = {
  Active: { title: 'No test is running', text: 'Pick a page, change one thing, and see which version sells more.' },
  Scheduled: { title: 'Nothing is scheduled', text: 'A test that is launched for a later day waits here until then.' },
  Paused: { title: 'No test is paused', text: 'A paused test shows the control to everyone and counts nothing. It can be resumed from its report.' },
  OnHold: { title: 'No test is on hold', text: 'A test is put on hold when something it needs is gone, such as its page or the plan’s visitors.' },
  Suspended: { title: 'No test is suspended', text: 'Tests are suspended while the subscription is frozen or over.' },
  Ended: { title: 'No test has ended yet', text: 'Results of ended tests are kept here.' },
  Draft: { title: 'No drafts', text: 'A test that you have begun to build and not launched waits here.' },
}

/** An empty tab says what would be in it, and what to do next. */
export function TestsEmpty({ tab, search, hasAny }: { tab: ListTab; search: string; hasAny: boolean }) {
  if (search) return (
    <Empty title={`Nothing is called “${search}”`} text="The search looks at names in this tab only."><a class="button secondary" href={tab === 'Active' ? paths.home() : paths.tests(tab)}>Clear the search</a></Empty>
  )
  const { title, text } = tab === 'Active' && !hasAny ? { ...words.Active, title: 'No tests yet' } : words[tab]
  return <Empty title={title} text={text}>{(tab === 'Active' || tab === 'Draft') && <a class="button" href={paths.draft()}>Create a test</a>}</Empty>
}

const Empty = ({ title, text, children }: { title: string; text: string; children: ComponentChildren }) => (
  <div class="empty">
    <svg viewBox="0 0 72 56" aria-hidden="true"><rect class="shelf" x="4" y="24" width="64" height="3" rx="1.5" /><rect class="shelf" x="4" y="52" width="64" height="3" rx="1.5" /><rect class="ghost" x="14" y="6.5" width="14" height="16" rx="3" /><rect class="ghost-accent" x="42" y="34.5" width="14" height="16" rx="3" /></svg>
    <h2>{title}</h2><p>{text}</p><div class="row">{children}</div>
  </div>
)
