import type { ListTab } from '../../domain/tests/ab-test.ts'
import { Icon } from '../icons.tsx'
import { Hidden, listPath, listQuery, type ListState } from '../list-links.tsx'
import type { ListAsk } from '../row-menu.tsx'

/** The act on the ticked rows of a tab. */
const actOf = (tab: ListTab): { ask: ListAsk; label: string; icon: 'stop' | 'trash' } =>
  tab === 'Draft'
    ? { ask: 'delete-drafts', label: 'Delete drafts…', icon: 'trash' }
    : tab === 'Ended'
      ? { ask: 'delete-chosen', label: 'Delete tests…', icon: 'trash' }
      : { ask: 'end-chosen', label: 'End tests…', icon: 'stop' }

/** Ticks the row for the bar below. `title` names the row for screen readers. */
export const Tick = ({ id, title }: { id: string; title: string }) => (
  <td role="cell" class="col-tick">
    <input type="checkbox" form="chosen" name="test" value={id} aria-label={`Choose ${title}`} />
  </td>
)
/** Ticks all rows of the page, which needs a script. */
export const TickHead = () => (
  <th role="columnheader" scope="col" class="col-tick">
    <input type="checkbox" data-tick-all aria-label="Choose all on this page" />
  </th>
)

/**
 * The bar that appears once a row is ticked. Its button opens the dialog that names the chosen
 * rows.
 */
export function TestsChosen({
  state,
  carried,
}: {
  state: ListState
  carried: Record<string, string>
}) {
  const { ask, label, icon } = actOf(state.tab)
  return (
    <form id="chosen" class="chosen-bar" action={listPath({ tab: state.tab })}>
      <span>
        <b class="chosen-count" /> chosen
      </span>
      <Hidden values={[...listQuery(state), ...Object.entries(carried), ['ask', ask]]} />
      <button class="secondary small">
        <Icon name={icon} />
        {label}
      </button>
    </form>
  )
}
