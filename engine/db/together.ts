import { isLastStatement } from './lost.ts'
import { rows as query, run } from './raw.ts'
import type { Trx } from './types.ts'

/**
 * A statement that is run together with others. They may read what it returns by its name, which
 * must differ from theirs and from its columns.
 */
export type Statement = { name: string; text: string; values: unknown[] }

/**
 * Makes one statement of several, so that they cost one round trip. All see the tables as they
 * were before, so none may read or write what another writes.
 */
export async function together(trx: Trx, statements: readonly Statement[]): Promise<void> {
  if (statements.length === 0) return
  const { ctes, values } = joined(statements)
  await run(trx, `with ${ctes} select`, values)
}

/**
 * Runs these statements as one, and returns the rows of those that are `asked`. All see the tables
 * as they were before. Dates come as text.
 */
export async function askTogether<Rows extends Record<string, object>>(
  trx: Trx,
  statements: readonly Statement[],
  asked: readonly (keyof Rows & string)[],
): Promise<{ [Name in keyof Rows]: Rows[Name][] }> {
  const { ctes, values } = joined(statements),
    answers = asked.map(
      name => `(select coalesce(json_agg(${name}), '[]') from ${name}) as ${name}`,
    )
  const [row] = await query<{ [Name in keyof Rows]: Rows[Name][] }>(
    trx,
    `with ${ctes} select ${answers.join(', ')}`,
    values,
  )
  return row!
}

/** The same as the last statement of the transaction. The commit is sent together with it. */
export const togetherAtLast = (trx: Trx, statements: readonly Statement[]): Promise<void> =>
  isLastStatement.run(true, () => together(trx, statements))

/**
 * The statements as common table expressions, for a statement that does more. Their parameters
 * come after the first `before`.
 */
export function joined(
  statements: readonly Statement[],
  before = 0,
): { ctes: string; values: unknown[] } {
  const values: unknown[] = []
  const ctes = statements.map(({ name, text, values: own }) => {
    const from = before + values.length
    values.push(...own)
    return `${name} as (${text.replace(/\$(\d+)/g, (_, place) => `$${from + Number(place)}`)})`
  })
  return { ctes: ctes.join(', '), values }
}
