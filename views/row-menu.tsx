import { paths } from '../domain/paths.ts'
import { canMove } from '../domain/tests/test-status.ts'
import { firstScreenEnd } from './document.ts'
import { Icon, type IconName } from './icons.tsx'
import { Close } from './modal.tsx'
import { Hidden, listPath, listQuery, type ListState } from './list-links.tsx'

/**
 * Placeholder for the id of a test or draft, in the menu that all rows of a tab share.
 * islands/page/row-menu.ts replaces it with the row's id.
 */
const anyRow = '__id__'

/** Opens the acts of its row: with scripts in a popover beside it, without them in a dialog. */
export const RowButton = ({
  id,
  title,
  isScreenEnd = false,
}: {
  id: string
  title: string
  isScreenEnd?: boolean
}) => (
  <button
    class="quiet small icon-only"
    id={rowId(id)}
    {...(isScreenEnd && firstScreenEnd)}
    form="row-ask"
    name="test"
    value={id}
    aria-label={`Actions for ${title}`}
  >
    <Icon name="more" />
  </button>
)

/** The acts of a tab's rows, once: all rows of a tab have the same. */
export const RowMenu = ({
  state,
  carried,
}: {
  state: ListState
  carried: Record<string, string>
}) => (
  <>
    <template id="row-menu">
      <ul class="menu-list row-menu" popover>
        <RowActs state={state} id={anyRow} />
      </ul>
    </template>
    <form id="row-ask" action={listPath({ tab: state.tab })} hidden>
      <Hidden values={[...listQuery(state), ...Object.entries(carried), ['ask', 'acts']]} />
    </form>
    <form id="row-act" method="post" hidden>
      <input type="hidden" name="back" value={listPath(state)} />
    </form>
  </>
)

/** The same acts in a dialog, for browsers without scripts: a script makes the popover. */
export const RowActsDialog = ({
  state,
  id,
  title,
}: {
  state: ListState
  id: string
  title: string
}) => (
  <dialog id="row-acts" aria-labelledby="row-acts-title" open>
    <div class="modal">
      <h2 id="row-acts-title">{title}</h2>
      <ul class="menu-list plain-list">
        <RowActs state={state} id={id} />
      </ul>
      <footer>
        <Close href={`${listPath(state)}#${rowId(id)}`}>Close</Close>
      </footer>
    </div>
  </dialog>
)

/** The acts of a row. An act that must be confirmed is a link to the list, which then asks. */
function RowActs({ state, id }: { state: ListState; id: string }) {
  const { tab } = state
  const asks = (act: ListAsk, label: string, icon: IconName) => (
    <li>
      <a href={askPath(state, act, id)}>
        <Icon name={icon} />
        {label}…
      </a>
    </li>
  )
  if (tab === 'Draft')
    return (
      <>
        <li>
          <a href={paths.draft(id)}>
            <Icon name="pencil" />
            Edit
          </a>
        </li>
        <CopyLink path={paths.draft(id)} />
        <Act to={paths.duplicateDraft(id)} label="Duplicate" icon="plus" />
        {asks('delete-draft', 'Delete', 'trash')}
      </>
    )
  const may = (to: 'Active' | 'Paused' | 'Ended') => canMove('merchant', tab, to)
  return (
    <>
      <li>
        <a href={paths.report(id)}>
          <Icon name="tests" />
          Open report
        </a>
      </li>
      {may('Paused') && asks('pause', 'Pause', 'pause')}
      {tab === 'Scheduled' && asks('start', 'Start now', 'play')}
      {may('Active') && tab !== 'Scheduled' && (
        <Act to={paths.resume(id)} label="Resume" icon="play" />
      )}
      {may('Ended') && asks('end', 'End', 'stop')}
      <CopyLink path={paths.report(id)} />
      <Act to={paths.testAct(id, 'duplicate')} label="Duplicate into a draft" icon="plus" />
      {asks('delete', 'Delete', 'trash')}
    </>
  )
}

export const listAsks = [
  'acts',
  'pause',
  'start',
  'end',
  'delete',
  'delete-draft',
  'end-all',
  'end-prices',
  'end-chosen',
  'delete-chosen',
  'delete-drafts',
] as const
export type ListAsk = (typeof listAsks)[number]
/** Id to which a page scrolls, so that the row stays visible after an act. */
export const rowId = (id: string): string => `row-${id}`
/** Address of the list in this state, with a dialog that asks before the act. */
export function askPath(state: ListState, ask: ListAsk, id?: string): string {
  const path = listPath(state)
  return `${path}${path.includes('?') ? '&' : '?'}ask=${ask}${id ? `&test=${id}#${rowId(id)}` : ''}`
}

/**
 * Copies the address that opens a page inside the admin: the page at `path`, or without a path the
 * present page (islands/page/host-address.ts).
 */
export const CopyLink = ({ path = '' }: { path?: string }) => (
  <li class="needs-script">
    <button class="menu-act" type="button" data-copy-link={path}>
      <Icon name="link" />
      Copy link
    </button>
  </li>
)
/** An act that the list's one form posts. The form holds the address to come back to. */
const Act = ({ to, label, icon }: { to: string; label: string; icon: IconName }) => (
  <li>
    <button class="menu-act" form="row-act" formaction={to}>
      <Icon name={icon} />
      {label}
    </button>
  </li>
)
