import type { ComponentChildren } from 'preact'
import type { TestListItem } from '../../domain/tests/ab-test.ts'
import { goals } from '../../domain/reports/goal.ts'
import { swaps } from '../list-links.tsx'

/** The links in a header fetch only the rows. */
export const headSwaps = swaps('#rows')

/** The short name of a goal; its whole name appears on hover. */
export const goalName = (goal: TestListItem['goal']) => (
  <abbr title={goals[goal].label}>{goals[goal].short}</abbr>
)

/**
 * Rows are grids (styles/results.css), on a phone cards (styles/narrow.css). Some browsers then no
 * longer see a table, so the elements have roles. `data-label` is the column's header on a phone.
 */
export const Cell = ({
  children,
  label,
  ...attributes
}: {
  children: ComponentChildren
  class?: string
  label?: string
}) => (
  <td role="cell" {...attributes} data-label={label}>
    {children}
  </td>
)

/** The head of a column that does not sort. */
export const Head = (attributes: { children: ComponentChildren; class?: string }) => (
  <th role="columnheader" scope="col" {...attributes} />
)

/** The head of the column of actions. */
export const ActsHead = () => (
  <Head class="col-acts">
    <span class="visually-hidden">Actions</span>
  </Head>
)
