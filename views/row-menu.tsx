import type { ComponentChildren } from 'preact'
import type { Output } from '../domain/contract.ts'
import type { TestListItem } from '../domain/ab-test.ts'
import { paths } from '../domain/paths.ts'
import { canMove } from '../domain/test-status.ts'
import { Icon, type IconName } from './icons.tsx'
import { listPath, type ListState } from './list-links.tsx'

/** The acts of one row, in a popover: it closes by itself, and no table cuts it off. What asks first is a link to the list that asks. */
export function RowMenu({ state, test }: { state: ListState; test: TestListItem }) {
  const { id, status } = test
  const may = (to: 'Active' | 'Paused' | 'Ended') => canMove('merchant', status, to)
  const asks = (act: ListAsk, label: string, icon: IconName) => <li><a href={askPath(state, act, id)}><Icon name={icon} />{label}…</a></li>
  return (
    <Menu id={id} title={test.title}>
      <li><a href={paths.report(id)}><Icon name="tests" />Open report</a></li>
      {may('Paused') && asks('pause', 'Pause', 'pause')}
      {status === 'Scheduled' && asks('start', 'Start now', 'play')}
      {may('Active') && status !== 'Scheduled' && <Act to={paths.resume(id)} label="Resume" icon="play" />}
      {may('Ended') && asks('end', 'End', 'stop')}
      <CopyLink path={paths.report(id)} />
      <Act to={paths.testAct(id, 'duplicate')} label="Duplicate into a draft" icon="plus" />
      {asks('delete', 'Delete', 'trash')}
    </Menu>
  )
}

export const DraftMenu = ({ state, draft: { id, title } }: { state: ListState; draft: Output<'tests'>['drafts'][number] }) => (
  <Menu id={id} title={title.trim() || 'Untitled draft'}>
    <li><a href={paths.draft(id)}><Icon name="pencil" />Edit</a></li>
    <CopyLink path={paths.draft(id)} />
    <Act to={paths.duplicateDraft(id)} label="Duplicate" icon="plus" />
    <li><a href={askPath(state, 'delete-draft', id)}><Icon name="trash" />Delete…</a></li>
  </Menu>
)

export const listAsks = ['pause', 'start', 'end', 'delete', 'delete-draft', 'end-all', 'end-prices', 'end-chosen', 'delete-chosen', 'delete-drafts'] as const
export type ListAsk = (typeof listAsks)[number]
/** Where a page scrolls to, so that the row that was acted on stays in sight. */
export const rowId = (id: string): string => `row-${id}`
/** The list as it is, which then asks before something is done. */
export function askPath(state: ListState, ask: ListAsk, id?: string): string {
  const path = listPath(state)
  return `${path}${path.includes('?') ? '&' : '?'}ask=${ask}${id ? `&test=${id}#${rowId(id)}` : ''}`
}

const Menu = ({ id, title, children }: { id: string; title: string; children: ComponentChildren }) => (
  <>
    <button class="quiet small icon-only" type="button" id={rowId(id)} popovertarget={`acts-${id}`} aria-label={`Actions for ${title}`}><Icon name="more" /></button>
    <ul class="menu-list row-menu" id={`acts-${id}`} popover>{children}</ul>
  </>
)
/** The address that opens a page inside the admin, without a path this very one (islands/host-address.ts). */
export const CopyLink = ({ path = '' }: { path?: string }) => <li class="needs-script"><button class="menu-act" type="button" data-copy-link={path}><Icon name="link" />Copy link</button></li>
/** Posted by the one form of the list, which knows where to come back to. */
const Act = ({ to, label, icon }: { to: string; label: string; icon: IconName }) => <li><button class="menu-act" form="row-act" formaction={to}><Icon name={icon} />{label}</button></li>
