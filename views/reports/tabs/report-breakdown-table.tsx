import type { ComponentChildren } from 'preact'
import {
  canCompare,
  type BreakdownArm,
  type BreakdownRow,
} from '../../../domain/reports/breakdown.ts'
import { formatCount, formatRate } from '../../../domain/figures.ts'
import type { Goal } from '../../../domain/reports/goal.ts'
import { formatMoney } from '../../../domain/money.ts'
import { lackWords, partTone, thingOf } from '../../../domain/reports/part-words.ts'
import { isSplitBroken } from '../../../domain/reports/uncompared.ts'
import { Capped } from '../report-capped.tsx'
import { TabSortHead } from './report-tab-links.tsx'
import { Chance, Lift } from '../../result.tsx'
import { type BreakdownProps, type Column, looks } from './report-breakdown-columns.ts'

/** The rows, two lines each: control and variant. */
export function Table({
  breakdown,
  state,
  list,
  currency,
  name,
  test,
}: Required<Pick<BreakdownProps, 'breakdown' | 'state' | 'list' | 'currency' | 'name' | 'test'>>) {
  const { title, head, columns } = looks[breakdown]
  const isCompared = canCompare(breakdown, list.goal)
  const shown = (label: string, about: string | undefined) =>
    about ? <abbr title={about}>{label}</abbr> : label
  return (
    <table class={isCompared ? 'table breakdown-table' : 'table breakdown-table breakdown-plain'}>
      <caption class="visually-hidden">{title}, control and variant</caption>
      <thead>
        <tr>
          {name ? (
            <TabSortHead state={state} name={name} sort="value" label={head} class="col-name" />
          ) : (
            <th scope="col" class="col-name">
              {head}
            </th>
          )}
          <th scope="col" class="col-arm">
            Arm
          </th>
          {columns.map(({ sort, label, title: about }) =>
            name ? (
              <TabSortHead
                key={sort}
                state={state}
                name={name}
                sort={sort}
                label={shown(label, about)}
                class="num"
              />
            ) : (
              <th key={sort} scope="col" class="num">
                {shown(label, about)}
              </th>
            ),
          )}
          {isCompared &&
            (name && !isSplitBroken(test) ? (
              <>
                <TabSortHead state={state} name={name} sort="lift" label="Lift" class="num" />
                <TabSortHead
                  state={state}
                  name={name}
                  sort="chanceToWin"
                  label="Chance to win"
                  class="col-chance"
                />
              </>
            ) : (
              <>
                <th scope="col" class="num">
                  Lift
                </th>
                <th scope="col" class="col-chance">
                  Chance to win
                </th>
              </>
            ))}
        </tr>
      </thead>
      {list.rows.map(row => (
        <tbody key={row.value}>
          <tr class="breakdown-first">
            <th scope="rowgroup" rowSpan={2} class="col-name breakdown-both">
              {breakdown === 'referrer' ? breakable(row.label) : row.label}
            </th>
            <ArmCells
              name="Control"
              mark="arm-mark arm-mark-control"
              arm={row.arms[0]}
              columns={columns}
              goal={list.goal}
              currency={currency}
            />
            {isCompared &&
              (row.missing ? (
                <td rowSpan={2} colSpan={2} class="num breakdown-both">
                  <Lack missing={row.missing} thing={thingOf(list.goal)} />
                </td>
              ) : (
                <>
                  <td rowSpan={2} class="num breakdown-both">
                    <Lift value={row.lift} tone={partTone(row.chanceToWin)} />
                  </td>
                  <td rowSpan={2} class="num breakdown-both">
                    {row.chanceToWin === null ? (
                      <span class="muted">–</span>
                    ) : (
                      <Chance value={row.chanceToWin} tone={partTone(row.chanceToWin)} />
                    )}
                  </td>
                </>
              ))}
          </tr>
          <tr class="breakdown-second">
            <ArmCells
              name="Variant"
              mark="arm-mark"
              arm={row.arms[1]}
              columns={columns}
              goal={list.goal}
              currency={currency}
            />
          </tr>
        </tbody>
      ))}
    </table>
  )
}

/** What is missing before the arms of a row can be compared. */
export function Lack({
  missing,
  thing,
}: {
  missing: NonNullable<BreakdownRow['missing']>
  thing: string
}) {
  const { words, where } = lackWords(missing, thing)
  return (
    <span class="muted" title="Needed before the arms are compared">
      {words}
      {where && <span class="cell-sub">{where}</span>}
    </span>
  )
}

/** Lets a host's name break into the next line before each of its dots. */
const breakable = (host: string): ComponentChildren =>
  host.split('.').flatMap((part, i) => (i === 0 ? [part] : [<wbr key={i} />, `.${part}`]))

type ArmProps = {
  name: string
  mark: string
  arm: BreakdownArm
  columns: Column[]
  goal: Goal
  currency: string
}

/**
 * The cells of one arm. Below the mean of the test's goal: the capped mean from which the lift was
 * computed.
 */
const ArmCells = ({ name, mark, arm, columns, goal, currency }: ArmProps) => (
  <>
    <th scope="row" class="col-arm">
      <span class="arm">
        <span class={mark} />
        {name}
      </span>
    </th>
    {columns.map(({ sort, unit, goal: of }) => (
      <td key={sort} class="num">
        {figure(arm[sort], unit, currency)}
        {of === goal && <Capped value={arm[sort]} inferred={arm.inferred} currency={currency} />}
      </td>
    ))}
  </>
)

function figure(value: number | null, unit: Column['unit'], currency: string): string {
  if (value === null) return '–'
  return unit === 'money'
    ? formatMoney(value, currency)
    : unit === 'rate'
      ? formatRate(value)
      : formatCount(value)
}

/**
 * Attributes that let the keyboard scroll a wide table sideways. A table with links does not need
 * them.
 */
export const focusable = (labelledBy: string) =>
  ({ tabIndex: 0, role: 'group', 'aria-labelledby': labelledBy }) as const
