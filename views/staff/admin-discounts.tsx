import { formatCount, formatDate, formatMoment } from '../../domain/figures.ts'
import { paths } from '../../domain/paths.ts'
import {
  type AppliedDiscount,
  type DiscountCode,
  discountValue,
} from '../../domain/staff/staff-discounts.ts'
import type { SubscriptionStatus } from '../../domain/stores/store.ts'
import { FilterTab, SortBy } from './admin-list-parts.tsx'
import { StaffHead, StaffList } from './admin-list.tsx'
import { staffListPath, type StaffListState } from './admin-list-state.ts'
import { Confirm } from '../confirm.tsx'
import { Icon, type IconName } from '../icons.tsx'
import { asking, opens } from '../modal.tsx'

export type DiscountsProps = {
  state: StaffListState
  codes: DiscountCode[]
  count: number
  counts: { open: number; ended: number }
  /** The code that a link asks to end. */
  ending: string | null
}
const add = (
  <a class="button" href={paths.admin('plan-discounts/add')}>
    <Icon name="plus" />
    Add a discount code
  </a>
)

export const Discounts = ({ state, codes, count, counts, ending }: DiscountsProps) => (
  <>
    <div class="page-head">
      <h1>Discount codes</h1>
      <div class="page-actions">{add}</div>
    </div>
    <StaffList
      state={state}
      count={count}
      shown={codes.length}
      label="Discount codes"
      placeholder="Code or plan"
      noun={['code', 'codes']}
      note="Days are UTC"
      empty={
        state.filters['state'] === 'ended'
          ? {
              title: 'No ended codes',
              text: 'Codes that expired or that you ended are listed here.',
            }
          : {
              title: 'No discount codes yet',
              text: 'A code takes a percentage or an amount off one plan or all plans.',
              action: add,
            }
      }
      tabs={
        <>
          <FilterTab
            state={state}
            filters={{ state: '' }}
            label="All"
            count={counts.open + counts.ended}
          />
          <FilterTab state={state} filters={{ state: 'open' }} label="Open" count={counts.open} />
          <FilterTab
            state={state}
            filters={{ state: 'ended' }}
            label="Ended"
            count={counts.ended}
          />
        </>
      }
    >
      <StaffHead>
        <SortBy state={state} sort="code" label="Code" class="col-store" />
        <SortBy state={state} sort="value" label="Takes off" largest class="num" />
        <th scope="col">Plan</th>
        <SortBy state={state} sort="expiresAt" label="Last day" />
        <SortBy state={state} sort="stores" label="Stores" largest class="num" />
        <SortBy state={state} sort="createdAt" label="Added" largest />
        <th scope="col">
          <span class="visually-hidden">End it</span>
        </th>
      </StaffHead>
      <tbody>
        {codes.map((code, i) => (
          <CodeRow
            key={code.code}
            code={code}
            place={i}
            closed={staffListPath(state)}
            isAsked={code.code === ending}
          />
        ))}
      </tbody>
    </StaffList>
  </>
)

type CodeRowProps = {
  code: DiscountCode
  place: number
  /** The list without the dialog. */
  closed: string
  isAsked: boolean
}
function CodeRow({ code, place, closed, isAsked }: CodeRowProps) {
  const id = `end-${place}`
  return (
    <tr>
      <th scope="row">
        <a
          href={`${paths.admin('plan-discounts/applied')}?search=${encodeURIComponent(code.code)}`}
          title="Stores that use it"
        >
          {code.code}
        </a>
      </th>
      <td class="num">{discountValue(code)}</td>
      <td>{code.planId === null ? 'All plans' : code.plan}</td>
      <td>
        {code.expiresAt === null ? (
          <span class="muted">Open-ended</span>
        ) : (
          formatDate(code.expiresAt, 'UTC')
        )}
        {code.hasEnded && <span class="cell-sub">Ended</span>}
      </td>
      <td class="num">
        {formatCount(code.stores)}
        {code.maxStores !== null && <> of {formatCount(code.maxStores)}</>}
        {code.maxStores !== null && code.stores >= code.maxStores && (
          <span class="cell-sub">Used up</span>
        )}
      </td>
      <td>{formatDate(code.createdAt, 'UTC')}</td>
      <td class="num">
        {!code.hasEnded && (
          <>
            <a
              class="button danger small"
              {...opens(id, `${asking(closed, 'end')}&ending=${encodeURIComponent(code.code)}`)}
              aria-label={`End ${code.code}`}
            >
              End…
            </a>
            <Confirm
              id={id}
              title={`End ${code.code} now?`}
              action={paths.admin('plan-discounts/codes', code.code)}
              closed={closed}
              act="End the code"
              keep="Keep it"
              isOpen={isAsked}
            >
              From now on nobody can use it.{' '}
              {code.stores === 0
                ? 'No store has used it.'
                : `${code.stores === 1 ? 'The store that used it keeps its' : `The ${formatCount(code.stores)} stores that used it keep their`} discount.`}{' '}
              An ended code cannot be opened again.
            </Confirm>
          </>
        )}
      </td>
    </tr>
  )
}

export type AppliedProps = {
  state: StaffListState
  applied: AppliedDiscount[]
  count: number
  now: Date
}

export const Applied = ({ state, applied, count, now }: AppliedProps) => (
  <>
    <div class="page-head">
      <h1>Discounts in use</h1>
    </div>
    <StaffList
      state={state}
      count={count}
      shown={applied.length}
      label="Discounts in use"
      placeholder="Code, store or shop"
      noun={['subscription', 'subscriptions']}
      note="Times are UTC"
      empty={{
        title: 'No code has been used yet',
        text: 'A code is used when a merchant approves a subscription with it.',
        action: (
          <a class="button secondary" href={paths.admin('plan-discounts/codes')}>
            See all codes
          </a>
        ),
      }}
    >
      <StaffHead>
        <SortBy state={state} sort="store" label="Store" class="col-store" />
        <SortBy state={state} sort="code" label="Code" />
        <th scope="col" class="num">
          Takes off
        </th>
        <th scope="col">Plan</th>
        <th scope="col">Subscription</th>
        <SortBy state={state} sort="at" label="Since" largest />
      </StaffHead>
      <tbody>
        {applied.map(({ store, code, valueType, value, plan, status, at }) => (
          <tr key={`${store.id} ${at}`}>
            <th scope="row">
              <a class="cell-link" href={paths.admin('stores/trials', store.id)}>
                <b>{store.name}</b>
                <span>{store.shop}</span>
              </a>
            </th>
            <td>{code}</td>
            <td class="num">{discountValue({ valueType, value })}</td>
            <td>{plan}</td>
            <td>
              <SubscriptionState status={status} />
            </td>
            <td>{formatMoment(at, 'UTC', now)}</td>
          </tr>
        ))}
      </tbody>
    </StaffList>
  </>
)

const looks: Record<SubscriptionStatus, { tone: string; icon: IconName }> = {
  Active: { tone: 'good', icon: 'check' },
  Accepted: { tone: 'neutral', icon: 'clock' },
  Pending: { tone: 'neutral', icon: 'clock' },
  Frozen: { tone: 'warn', icon: 'warning' },
  Cancelled: { tone: 'neutral', icon: 'close' },
  Declined: { tone: 'neutral', icon: 'close' },
  Expired: { tone: 'neutral', icon: 'close' },
}
export const SubscriptionState = ({ status }: { status: SubscriptionStatus }) => (
  <span class="status" data-tone={looks[status].tone}>
    <Icon name={looks[status].icon} />
    {status}
  </span>
)
