import * as Type from 'typebox'
import { type Call, Id } from '../api/call.ts'

const csv = ['text/csv; charset=utf-8'] as const

export const exportCalls = {
  exportTest: {
    method: 'GET',
    path: '/api/v0/tests/:id/export',
    params: Id,
    file: csv,
    about: 'A test’s results as a table: every goal and arm, over the whole test and day by day.',
    response: Type.String({ description: 'CSV in UTF-8 with a byte order mark.' }),
  },
  exportOrders: {
    method: 'GET',
    path: '/api/v0/tests/:id/export-orders',
    params: Id,
    file: csv,
    about: 'Every order of the shop while the test ran: in an arm, or left out and why.',
    response: Type.String({
      description: 'CSV in UTF-8 with a byte order mark; the parts add up to the test’s ledger.',
    }),
  },
  exportZip: {
    method: 'GET',
    path: '/api/v0/tests/:id/export-zip',
    params: Id,
    file: ['application/zip'],
    about: 'Results, days and orders of a test, with a note of what they hold, in one archive.',
    response: Type.String({
      description: 'ZIP with results.csv, daily.csv, orders.csv and about.txt.',
    }),
  },
} as const satisfies Record<string, Call>
