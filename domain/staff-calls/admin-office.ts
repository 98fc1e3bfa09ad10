import * as Type from 'typebox'
import { type Call, closed, Id, IdParam, Instant } from '../api/call.ts'
import { importLimit, ImportOutcome, ImportUpload } from '../imports/import.ts'
import { ShopperExport, ShopperNamed } from '../stores/shoppers/shopper.ts'
import { AppStats } from '../staff/staff-app-stats.ts'
import {
  EarningsLine,
  EarningsMonth,
  earningsSorts,
  EarningsUpload,
  lineSorts,
  monthForm,
} from '../staff/staff-earnings.ts'
import { ApiHealth } from '../staff/staff-health.ts'
import { listQuery } from '../staff/staff-list.ts'

const Count = Type.Integer()
const noStore = 'There is no such store.'

/** Calls of staff's panel for shoppers' rights, the state of the app, imports and earnings. */
export const adminOfficeCalls = {
  exportShopper: {
    method: 'POST',
    forOtherClients: true,
    path: '/api/v0/admin/stores/:id/shoppers/export',
    about: 'Everything that is kept of a shopper of a store.',
    params: Id,
    body: ShopperNamed,
    response: ShopperExport,
    errors: {
      400: 'Nobody is named, or the shop knows no order of the customer.',
      404: noStore,
      502: 'The platform could not be reached.',
    },
  },
  eraseShopper: {
    method: 'POST',
    forOtherClients: true,
    path: '/api/v0/admin/stores/:id/shoppers/erasure',
    about: 'Erases the data about a shopper of a store; the figures stay.',
    params: Id,
    body: ShopperNamed,
    response: Type.Object({ jobId: Type.String() }),
    errors: {
      400: 'Nobody is named, or the shop knows no order of the customer.',
      404: noStore,
      502: 'The platform could not be reached.',
    },
  },
  shopperExports: {
    method: 'GET',
    forOtherClients: true,
    path: '/api/v0/admin/stores/:id/shoppers/exports',
    about: 'Answers to the platform’s data requests of the last 30 days, the newest 20.',
    params: Id,
    response: Type.Array(Type.Object({ id: Type.String(), askedAt: Instant, until: Instant })),
    errors: { 404: noStore },
  },
  shopperAnswer: {
    method: 'GET',
    path: '/api/v0/admin/stores/:id/shoppers/exports/:exportId',
    about: 'One of these answers: everything that was kept of the shopper.',
    params: Type.Object({ id: IdParam, exportId: IdParam }, closed),
    response: ShopperExport,
    errors: { 404: 'There is no such store or answer.' },
    forOtherClients: true,
  },
  adminApiHealth: {
    method: 'GET',
    path: '/api/v0/admin/health/api',
    about: 'Database, jobs, publications and connections of the API at this moment.',
    response: ApiHealth,
  },
  adminAppStats: {
    method: 'GET',
    path: '/api/v0/admin/app-stats',
    about: 'Stores and tests counted, and visitors and events of the last thirty days.',
    response: AppStats,
  },

  importTest: {
    method: 'POST',
    forOtherClients: true,
    path: '/api/v0/admin/imports',
    about:
      'Imports a past experiment from a CSV file as an ended test of a store: all of it or nothing, or with `skipBad` only the good rows. The first twenty bad rows are named. Importing it again adds what is new. Import larger files with `npm run import`.',
    // JSON may need two bytes for a character.
    body: ImportUpload,
    bodyLimit: 2 * importLimit,
    response: ImportOutcome,
    errors: {
      400: 'The file or a field is not as it must be.',
      404: noStore,
      409: 'An import of this title has another split, goal or kind.',
    },
  },

  adminEarnings: {
    method: 'GET',
    path: '/api/v0/admin/earnings',
    about: 'Earnings by month, in cents.',
    query: listQuery(earningsSorts),
    response: Type.Object({
      months: Type.Array(EarningsMonth),
      count: Count,
      total: Type.Object({ gross: Type.Number(), fee: Type.Number(), net: Type.Number() }),
    }),
  },
  adminEarningsMonth: {
    method: 'GET',
    path: '/api/v0/admin/earnings/:month',
    about: 'The earnings of one month by shop and plan, in cents.',
    params: Type.Object({ month: Type.String({ pattern: monthForm.source }) }, closed),
    query: listQuery(lineSorts),
    response: Type.Object({ month: EarningsMonth, lines: Type.Array(EarningsLine), count: Count }),
    errors: { 404: 'Nothing was uploaded for this month.' },
  },
  uploadEarnings: {
    method: 'POST',
    path: '/api/v0/admin/earnings',
    about:
      'Imports a CSV file of earnings, all of it or nothing. The first twenty wrong cells are named.',
    body: EarningsUpload,
    response: Type.Object({ months: Type.Array(EarningsMonth), rows: Count }),
    errors: {
      400: 'The file is not as it must be.',
      409: 'A month of it was uploaded before, and `replace` is not set; `fields` names the months.',
    },
  },
} as const satisfies Record<string, Call>
