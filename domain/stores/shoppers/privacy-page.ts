import { keptTables } from './kept-tables.ts'
import { commonFields, keepingRules, shopperTables } from './shopper-tables.ts'

const seen = {
  product: 'nobody: only sums of it are shown',
  merchant: 'the merchant, in reports and exports, and staff',
  staff: 'staff',
} as const

/**
 * Writes the part of docs/privacy.md that names every table and column, from the same tables that
 * erasure, export and retention use.
 */
export function privacyTables(): string {
  const sections = Object.entries(shopperTables).map(
    ([table, { holds, rule, seenBy, visitor, fields }]) => {
      const after = typeof keptTables[table] === 'string' ? keptTables[table] : 'cleared'
      const named = [...(visitor ? ['visitor_id'] : []), ...Object.keys(fields)]
      return [
        `### \`${table}\``,
        '',
        holds,
        '',
        `Kept: ${keepingRules[rule]}. After an uninstall: ${after === 'erased' ? 'erased' : after}. Seen by: ${seen[seenBy]}.`,
        '',
        '| column | what for |',
        '|---|---|',
        ...named.map(column => `| \`${column}\` | ${fields[column] ?? commonFields[column]} |`),
      ].join('\n')
    },
  )
  const common = Object.entries(commonFields)
    .filter(([column]) => column !== 'visitor_id')
    .map(([column, what]) => `| \`${column}\` | ${what} |`)
  return [
    '### Columns of several tables',
    '',
    '| column | what for |',
    '|---|---|',
    ...common,
    '',
    sections.join('\n\n'),
    '',
  ].join('\n')
}

export const privacyBegin =
  '<!-- The rest of this page is written by `npm run privacy` from domain/stores/shoppers/shopper-tables.ts. -->'
