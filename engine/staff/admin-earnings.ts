import { parse } from 'csv-parse/sync'
import { sql } from 'kysely'
import { notCsv } from '../../domain/csv.ts'
import { type FieldProblem, HttpProblem } from '../../domain/problem.ts'
import {
  type CellProblem,
  cellProblemText,
  type EarningsMonth,
  earningsLimits,
  type EarningsRow,
  headerProblem,
  isCellProblem,
  readEarnings,
} from '../../domain/staff/staff-earnings.ts'
import { holds, pageOf } from './admin-lists.ts'
import { planColumns, type PlanColumns, planNameOf } from './admin-stores.ts'
import type { EngineContext } from '../context.ts'
import { rows as query } from '../db/raw.ts'
import { notFound, type StaffServe } from '../http/routes.ts'
import { audit } from './people/staff-audit.ts'

const maxProblems = 20
type MonthRow = Omit<EarningsMonth, 'uploadedAt'> & { uploadedAt: Date }
type LineRow = PlanColumns & { shop: string; gross: number; fee: number; net: number }
const monthColumns = sql`m.month, count(distinct e.shop)::int as shops, count(e.shop)::int as rows, coalesce(sum(e.gross), 0)::float8 as gross, coalesce(sum(e.fee), 0)::float8 as fee, coalesce(sum(e.net), 0)::float8 as net,
  m.file_name as "fileName", m.uploaded_at as "uploadedAt", u.name as "uploadedBy"`
const months = sql`earnings_months m join staff_users u on u.user_id = m.user_id left join earnings e on e.month = m.month group by m.month, m.file_name, m.uploaded_at, u.name`
const lineSorts = { shop: sql`e.shop`, plan: sql`p.level, p.monthly_visitors`, net: sql`e.net` }

/** Serves the platform's payouts and their upload by staff. */
export function adminEarnings(serve: StaffServe, { db: { kysely }, clock }: EngineContext): void {
  serve('adminEarnings', async ({ query: { sort = 'month', descending = true, ...asked } }) => {
    const { rows, count } = await pageOf<MonthRow>(
      kysely,
      { ...asked, descending },
      {
        columns: sql`*`,
        from: sql`(select ${monthColumns} from ${months}) r`,
        where: holds(asked.search, 'r.month', 'r.fileName', 'r.uploadedBy'),
        by: sql.ref(`r.${sort}`),
        tie: sql`r.month desc`,
      },
    )
    const {
      rows: [total],
    } = await sql<Record<'gross' | 'fee' | 'net', number>>`
      select coalesce(sum(gross), 0)::float8 as gross, coalesce(sum(fee), 0)::float8 as fee, coalesce(sum(net), 0)::float8 as net from earnings`.execute(
      kysely,
    )
    return { months: rows.map(monthOf), count, total: total! }
  })

  serve(
    'adminEarningsMonth',
    async ({ params, query: { sort = 'net', descending = sort === 'net', ...asked } }) => {
      const [month] = await monthsOf([params.month])
      if (!month) throw notFound('month')
      const { rows, count } = await pageOf<LineRow>(
        kysely,
        { ...asked, descending },
        {
          columns: sql`e.shop, e.gross, e.fee, e.net, ${planColumns}`,
          from: sql`earnings e join plans p on p.plan_id = e.plan_id`,
          where: [sql`e.month = ${params.month}`, ...holds(asked.search, 'e.shop', 'p.title')],
          by: lineSorts[sort],
          tie: sql`e.shop, e.plan_id`,
        },
      )
      return {
        month,
        lines: rows.map(row => ({
          shop: row.shop,
          plan: planNameOf(row)!,
          gross: row.gross,
          fee: row.fee,
          net: row.net,
        })),
        count,
      }
    },
  )

  serve('uploadEarnings', async ({ body: { fileName, csv, replace } }, staff) => {
    const at = clock()
    const planIds = new Set(
      (await kysely.selectFrom('plans').select('plan_id').execute()).map(plan => plan.plan_id),
    )
    const rows = readFile(csv, { planIds, today: at.toISOString().slice(0, 7) })
    const named = [...new Set(rows.map(({ month }) => month))].sort()
    await kysely.transaction().execute(async trx => {
      // One upload at a time: two uploads of the same month could both find it missing.
      await sql`select pg_advisory_xact_lock(hashtext('twinshelf earnings'))`.execute(trx)
      const known = (
        await trx
          .selectFrom('earnings_months')
          .select('month')
          .where('month', 'in', named)
          .orderBy('month')
          .execute()
      ).map(({ month }) => month)
      if (known.length > 0 && !replace)
        throw new HttpProblem(
          409,
          `Uploaded before: ${known.join(', ')}. Replace these months, or remove their rows from the file.`,
          known.map(month => ({ field: 'month', message: month })),
        )
      await trx.deleteFrom('earnings_months').where('month', 'in', named).execute()
      await trx
        .insertInto('earnings_months')
        .values(
          named.map(month => ({ month, file_name: fileName, uploaded_at: at, user_id: staff.id })),
        )
        .execute()
      await query(
        trx,
        `
        insert into earnings (month, shop, plan_id, gross, fee, net) select * from unnest($1::text[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])`,
        [
          rows.map(row => row.month),
          rows.map(row => row.shop),
          rows.map(row => row.planId),
          rows.map(row => row.gross),
          rows.map(row => row.fee),
          rows.map(row => row.net),
        ],
      )
      await audit(trx, {
        at,
        by: staff.id,
        act: known.length > 0 ? 'Replaced earnings' : 'Uploaded earnings',
        about: named.at(-1)!,
        detail: `${fileName}: ${named.join(', ')}, ${rows.length} ${rows.length === 1 ? 'row' : 'rows'}`,
      })
    })
    return { months: await monthsOf(named), rows: rows.length }
  })

  async function monthsOf(names: string[]): Promise<EarningsMonth[]> {
    const { rows } =
      await sql<MonthRow>`select * from (select ${monthColumns} from ${months}) r where r.month in (${sql.join(names)}) order by r.month desc`.execute(
        kysely,
      )
    return rows.map(monthOf)
  }
}

const monthOf = (row: MonthRow): EarningsMonth => ({
  ...row,
  uploadedAt: row.uploadedAt.toISOString(),
})

/** Reads all rows of the file. Throws a 400 that names the first wrong cells. */
function readFile(
  csv: string,
  known: { planIds: ReadonlySet<string>; today: string },
): EarningsRow[] {
  // Numbers rows as a spreadsheet does: blank rows count too.
  const [header, ...lines] = cellsOf(csv)
    .map((cells, i) => ({ cells, row: i + 1 }))
    .filter(({ cells, row }) => row === 1 || cells.some(cell => cell !== ''))
  const wrongHeader = headerProblem(header?.cells ?? [])
  if (wrongHeader) throw refused([{ row: 1, column: null, message: wrongHeader }])
  if (lines.length === 0)
    throw refused([{ row: 2, column: null, message: 'The file has no rows below the header.' }])
  if (lines.length > earningsLimits.rows)
    throw refused([
      {
        row: lines[earningsLimits.rows]!.row,
        column: null,
        message: `A file may have at most ${earningsLimits.rows.toLocaleString('en')} rows.`,
      },
    ])
  const found: EarningsRow[] = [],
    problems: CellProblem[] = [],
    seen = new Map<string, number>()
  for (const { cells, row } of lines) {
    const read = readEarnings(cells, row, known)
    if (isCellProblem(read)) problems.push(read)
    else {
      const key = `${read.month} ${read.shop} ${read.planId}`,
        first = seen.get(key)
      if (first === undefined) seen.set(key, row)
      else
        problems.push({
          row,
          column: 'plan',
          message: `Row ${first} has this month, shop and plan already.`,
        })
      found.push(read)
    }
    if (problems.length === maxProblems) break
  }
  if (problems.length > 0) throw refused(problems)
  return found
}

function cellsOf(csv: string): string[][] {
  try {
    return parse(csv, { bom: true, relax_column_count: true, trim: true })
  } catch (error) {
    const { lines } = error as { lines?: number }
    throw refused([
      {
        row: lines ?? 1,
        column: null,
        message: notCsv,
      },
    ])
  }
}

const refused = (problems: CellProblem[]): HttpProblem =>
  new HttpProblem(
    400,
    problems.map(cellProblemText).join(' '),
    problems.map((problem): FieldProblem => ({ field: 'file', message: cellProblemText(problem) })),
  )
