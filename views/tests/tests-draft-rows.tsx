import type { Output } from '../../domain/api/contract.ts'
import { formatDate, formatMoment } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import { testKinds } from '../../domain/tests/test-kind.ts'
import { SortHead, type ListState } from '../list-links.tsx'
import { RowButton } from '../row-menu.tsx'
import { ActsHead, Cell, goalName, Head, headSwaps } from './tests-cells.tsx'
import { Tick, TickHead } from './tests-chosen.tsx'

type Draft = Output<'tests'>['drafts'][number]
const titleOf = ({ title }: Draft) => title.trim() || 'Untitled draft'

/** The list of drafts: a head that sorts, and a row for each. */
export function DraftRows({
  state,
  drafts,
  timeZone,
}: {
  state: ListState
  drafts: Draft[]
  timeZone: string
}) {
  return (
    <>
      <thead role="rowgroup" {...headSwaps}>
        <tr role="row" data-label="Sort by">
          <TickHead />
          <SortHead state={state} sort="title" label="Draft" class="col-test" />
          <Head>Kind</Head>
          <Head>Goal</Head>
          <SortHead state={state} sort="createdAt" label="Created" />
          <Head>Last saved</Head>
          <ActsHead />
        </tr>
      </thead>
      <tbody role="rowgroup">
        {drafts.map(draft => (
          <tr role="row" key={draft.id}>
            <Tick id={draft.id} title={titleOf(draft)} />
            <th role="rowheader" scope="row">
              <a class="cell-link" href={paths.draft(draft.id)}>
                <b>{titleOf(draft)}</b>
              </a>
            </th>
            <Cell label="Kind">{testKinds[draft.kind].label}</Cell>
            <Cell label="Goal">{goalName(draft.goal)}</Cell>
            <Cell label="Created">{formatDate(draft.createdAt, timeZone)}</Cell>
            <Cell label="Last saved">{formatMoment(draft.updatedAt, timeZone)}</Cell>
            <Cell class="col-acts">
              <RowButton id={draft.id} title={titleOf(draft)} />
            </Cell>
          </tr>
        ))}
      </tbody>
    </>
  )
}
