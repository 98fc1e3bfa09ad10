import { formatCount, formatDate, formatMoment } from '../../domain/figures.ts'
import { formatMoney } from '../../domain/money.ts'
import { paths } from '../../domain/paths.ts'
import type { FieldProblem } from '../../domain/problem.ts'
import {
  earningsColumns,
  type EarningsLine,
  earningsLimits,
  type EarningsMonth,
} from '../../domain/staff/staff-earnings.ts'
import { SortBy } from './admin-list-parts.tsx'
import { StaffHead, StaffList } from './admin-list.tsx'
import type { StaffListState } from './admin-list-state.ts'
import { Problem } from '../drafts/draft-field.tsx'
import { Icon } from '../icons.tsx'

export type Sums = { gross: number; fee: number; net: number }
/** A valid file, but of months that are stored already. */
export type Waiting = { fileName: string; csv: string; months: string[] }
export type EarningsProps = {
  state: StaffListState
  months: EarningsMonth[]
  count: number
  total: Sums
  problems: FieldProblem[]
  waiting: Waiting | null
  now: Date
}

export const Earnings = ({
  state,
  months,
  count,
  total,
  problems,
  waiting,
  now,
}: EarningsProps) => (
  <>
    <div class="page-head">
      <h1>Earnings</h1>
      {count > 0 && state.search === '' && (
        <p class="page-facts muted">
          {formatMoney(total.net)} net in all: {formatMoney(total.gross)} less{' '}
          {formatMoney(total.fee)} in fees.
        </p>
      )}
    </div>
    {waiting && <Replace {...waiting} />}
    <Upload problems={problems} />
    <StaffList
      state={state}
      count={count}
      shown={months.length}
      label="Earnings by month"
      placeholder="Month, file or name"
      noun={['month', 'months']}
      note="US dollars"
      empty={{
        title: 'No earnings yet',
        text: 'Upload the platform’s payout file for a month to see its totals here.',
      }}
    >
      <StaffHead>
        <SortBy state={state} sort="month" label="Month" largest class="col-store" />
        <th scope="col" class="num">
          Shops
        </th>
        <th scope="col" class="num">
          Gross
        </th>
        <th scope="col" class="num">
          Fee
        </th>
        <SortBy state={state} sort="net" label="Net" largest class="num" />
        <th scope="col">Uploaded</th>
      </StaffHead>
      <tbody>
        {months.map(month => (
          <tr key={month.month}>
            <th scope="row">
              <a class="cell-link" href={`${state.path}?month=${month.month}`}>
                <b>{monthName(month.month)}</b>
                <span>
                  {formatCount(month.rows)} {month.rows === 1 ? 'row' : 'rows'}
                </span>
              </a>
            </th>
            <td class="num">{formatCount(month.shops)}</td>
            <td class="num">{formatMoney(month.gross)}</td>
            <td class="num">{formatMoney(month.fee)}</td>
            <td class="num">
              <b>{formatMoney(month.net)}</b>
            </td>
            <td>
              {formatMoment(month.uploadedAt, 'UTC', now)} UTC
              <span class="cell-sub">
                {month.uploadedBy}, {month.fileName}
              </span>
            </td>
          </tr>
        ))}
      </tbody>
    </StaffList>
  </>
)

const Upload = ({ problems }: { problems: FieldProblem[] }) => (
  <section class="card" aria-labelledby="upload">
    <div class="card-head">
      <h2 id="upload">Upload earnings</h2>
    </div>
    <form
      class="card-body stack"
      method="post"
      action={paths.admin('earnings')}
      enctype="multipart/form-data"
    >
      <div class="field">
        <label for="file">CSV file</label>
        <input
          type="file"
          id="file"
          name="file"
          accept=".csv,text/csv"
          required
          class="input-file"
          aria-invalid={problems.length > 0 ? 'true' : undefined}
          aria-describedby={`${problems.length > 0 ? 'file-problem ' : ''}file-help`}
        />
        {problems.length > 0 && (
          <div id="file-problem" class="stack">
            {problems.map(({ message }, i) => (
              <Problem key={i} id={`file-problem-${i}`} message={message} />
            ))}
            <span class="note">Nothing was stored.</span>
          </div>
        )}
        <span class="field-help" id="file-help">
          A UTF-8 CSV file. First row: <code>{earningsColumns.join(',')}</code>: month as 2026-11,
          the shop’s platform domain, our plan’s id, dollars as 199.00, net being gross less fee;
          one row for each month, shop and plan. At most {formatCount(earningsLimits.rows)} rows and{' '}
          {earningsLimits.bytes / 1024} KiB. If a row is wrong, nothing is stored.
        </span>
      </div>
      <div class="row">
        <button>Upload file</button>
      </div>
    </form>
  </section>
)

/**
 * Asks before a month's earnings are replaced. The form contains the file, so that it need not be
 * chosen again.
 */
const Replace = ({ fileName, csv, months }: Waiting) => (
  <section class="banner" data-tone="warn" aria-labelledby="replace">
    <Icon name="warning" />
    <div>
      <strong id="replace">
        {months.map(monthName).join(', ')} {months.length === 1 ? 'was' : 'were'} uploaded before
      </strong>
      <p>
        The file {fileName} would replace all rows of{' '}
        {months.length === 1 ? 'this month' : 'these months'}. Nothing has been stored yet.
      </p>
    </div>
    <div class="row">
      <a class="button secondary" href={paths.admin('earnings')}>
        Keep current rows
      </a>
      <form method="post" action={paths.admin('earnings')} enctype="multipart/form-data">
        <input type="hidden" name="fileName" value={fileName} />
        <textarea name="csv" hidden readOnly aria-label="The file">
          {csv}
        </textarea>
        <button class="danger">Replace</button>
      </form>
    </div>
  </section>
)

export type MonthProps = {
  state: StaffListState
  month: EarningsMonth
  lines: EarningsLine[]
  count: number
}

export const EarningsOfMonth = ({ state, month, lines, count }: MonthProps) => (
  <>
    <div class="page-head">
      <a class="back-link" href={paths.admin('earnings')}>
        Earnings
      </a>
      <h1>{monthName(month.month)}</h1>
      <p class="page-facts muted">
        {formatMoney(month.net)} net of {formatCount(month.shops)}{' '}
        {month.shops === 1 ? 'shop' : 'shops'}: {formatMoney(month.gross)} less{' '}
        {formatMoney(month.fee)} in fees.
      </p>
    </div>
    <StaffList
      state={state}
      count={count}
      shown={lines.length}
      label={`Earnings of ${monthName(month.month)}`}
      placeholder="Shop or plan"
      noun={['row', 'rows']}
      note="US dollars"
      empty={{ title: 'No rows', text: 'This month has no rows.' }}
    >
      <StaffHead>
        <SortBy state={state} sort="shop" label="Shop" class="col-store" />
        <SortBy state={state} sort="plan" label="Plan" />
        <th scope="col" class="num">
          Gross
        </th>
        <th scope="col" class="num">
          Fee
        </th>
        <SortBy state={state} sort="net" label="Net" largest class="num" />
      </StaffHead>
      <tbody>
        {lines.map(line => (
          <tr key={`${line.shop} ${line.plan}`}>
            <th scope="row">{line.shop}</th>
            <td>{line.plan}</td>
            <td class="num">{formatMoney(line.gross)}</td>
            <td class="num">{formatMoney(line.fee)}</td>
            <td class="num">{formatMoney(line.net)}</td>
          </tr>
        ))}
      </tbody>
    </StaffList>
  </>
)

/** "Nov 2026" */
export const monthName = (month: string): string =>
  formatDate(`${month}-01T00:00:00Z`, 'UTC').slice(2)
