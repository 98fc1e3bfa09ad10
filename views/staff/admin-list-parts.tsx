import type { ComponentChildren } from 'preact'
import { formatCount } from '../../domain/figures.ts'
import type { StoreName } from '../../domain/staff/staff-list.ts'
import { progressTone, usageOf } from '../../domain/plans/usage.ts'
import { Icon } from '../icons.tsx'
import { swaps } from '../list-links.tsx'
import { TileTrend } from './staff-chart.tsx'
import type { CardProps } from './admin-list.tsx'
import { staffListPath, type StaffListState } from './admin-list-state.ts'

/**
 * A column's header. Its link sorts by the column, or reverses the order when the list is already
 * sorted by it. `largest`: the first click puts the largest first.
 */
export function SortBy({
  state,
  sort,
  label,
  largest = false,
  ...attributes
}: {
  state: StaffListState
  sort: string
  label: string
  largest?: boolean
  class?: string
}) {
  const isSorted = state.sort === sort
  return (
    <th
      scope="col"
      {...attributes}
      aria-sort={isSorted ? (state.descending ? 'descending' : 'ascending') : undefined}
    >
      <a
        href={staffListPath(state, {
          sort,
          descending: isSorted ? !state.descending : largest,
          page: 0,
        })}
      >
        {label}
        {isSorted && (state.descending ? ' ↓' : ' ↑')}
      </a>
    </th>
  )
}

/** A tab that filters the list, with the number of its rows. */
export function FilterTab({
  state,
  filters,
  label,
  count,
}: {
  state: StaffListState
  filters: Record<string, string>
  label: string
  count: number
}) {
  const isCurrent = Object.entries(filters).every(
    ([name, value]) => (state.filters[name] ?? '') === value,
  )
  return (
    <a
      href={staffListPath(state, {
        filters: { ...state.filters, ...filters },
        search: '',
        page: 0,
      })}
      aria-current={isCurrent ? 'page' : undefined}
    >
      {label} <span class="tab-count">{formatCount(count)}</span>
    </a>
  )
}

/** The links to the previous and the next page of a list. */
export function Pager({
  state,
  count,
  shown,
  noun,
}: Pick<CardProps, 'state' | 'count' | 'shown' | 'noun'>) {
  const { page, perPage } = state
  const pages = Math.ceil(count / perPage)
  const range = count > shown ? `${page * perPage + 1}–${page * perPage + shown} of ` : ''
  const turn = (to: number, label: string, icon: 'back' | 'next') =>
    to < 0 || to >= pages ? (
      <a
        class="button secondary small icon-only"
        role="link"
        aria-disabled="true"
        aria-label={label}
      >
        <Icon name={icon} />
      </a>
    ) : (
      <a
        class="button secondary small icon-only"
        href={staffListPath(state, { page: to })}
        aria-label={label}
      >
        <Icon name={icon} />
      </a>
    )
  return (
    <footer class="card-foot" {...swaps('#rows')}>
      <span>
        {range}
        {formatCount(count)} {noun[count === 1 ? 0 : 1]}
      </span>
      {pages > 1 && (
        <nav class="pager card-foot-end" aria-label="Pages">
          <span>
            Page {page + 1} of {pages}
          </span>
          {turn(page - 1, 'Previous page', 'back')}
          {turn(page + 1, 'Next page', 'next')}
        </nav>
      )}
    </footer>
  )
}

/** A store as the first cell of its row. */
export const StoreCell = ({ store, href }: { store: StoreName; href?: string }) => {
  const words = (
    <>
      <b>{store.name}</b>
      <span>{store.shop}</span>
    </>
  )
  return (
    <th scope="row">
      {href ? (
        <a class="cell-link" href={href}>
          {words}
        </a>
      ) : (
        <span class="cell-link">{words}</span>
      )}
    </th>
  )
}

/**
 * Visitors of this cycle, compared with the plan's limit. A trial has no limit, so it shows no
 * warning.
 */
export function UsageCell({
  visitors,
  visitorLimit,
  name,
  isOnTrial = false,
}: {
  visitors: number
  visitorLimit: number | null
  name: string
  isOnTrial?: boolean
}) {
  if (visitorLimit === null) return <span>{formatCount(visitors)}</span>
  const { percent, filled, colour } = usageOf({ sessions: visitors, sessionLimit: visitorLimit })
  // A few visitors must not look like none.
  const share = percent === 0 && visitors > 0 ? '<1%' : `${percent}%`
  return (
    <span class="meter-cell">
      <span class="row meter-text">
        <span>{formatCount(visitors)}</span>
        <span class="muted">{share}</span>
      </span>
      <progress
        value={visitors > 0 ? Math.max(filled, 2) : 0}
        max={100}
        data-tone={isOnTrial ? undefined : progressTone(colour)}
        aria-label={`Visitors used by ${name}`}
        aria-valuetext={share}
      >
        {share}
      </progress>
    </span>
  )
}

/** A card with one figure. */
export const Tile = ({
  title,
  figure,
  unit,
  tone,
  icon,
  trend,
  children,
}: {
  title: string
  figure: string
  unit?: string
  tone?: string
  icon?: 'check' | 'warning' | 'clock' | 'info'
  /** Earlier values of the figure, oldest first; the drawing shows only their shape. */
  trend?: readonly (number | null)[]
  children?: ComponentChildren
}) => (
  <section class="card tile">
    <h2>{title}</h2>
    <p>
      {figure}
      {unit && <small class="note">{unit}</small>}
    </p>
    {children && (
      <span class="status" data-tone={tone ?? 'neutral'}>
        {icon && <Icon name={icon} />}
        {children}
      </span>
    )}
    {trend && <TileTrend values={trend} />}
  </section>
)
