import type { Selectable, Updateable } from 'kysely'
import type { GaSettings } from '../../domain/google/analytics.ts'
import { firstDaySent } from '../../domain/google/analytics-event.ts'
import { HttpProblem } from '../../domain/problem.ts'
import type { EngineContext } from '../context.ts'
import type { AnalyticsSettingsTable } from '../db/analytics-schema.ts'
import { rows as query } from '../db/raw.ts'
import type { Google } from './google.ts'
import type { GoogleAdmin, Stream } from './google-admin.ts'
import { consentUrl, finishConsent } from './google-connect.ts'
import type { GoogleTokens } from './google-tokens.ts'
import type { Seal } from '../session/seal.ts'
import { notFound, type Serve } from '../http/routes.ts'

type Row = Selectable<AnalyticsSettingsTable>
type Parts = {
  google: Google
  tokens: GoogleTokens
  admin: GoogleAdmin
  seal: Seal
  requireGa4: (storeId: string) => Promise<void>
}

/**
 * The API for a store's Google Analytics: connect, choose a property, switch sending on and off,
 * disconnect.
 */
export function analytics(
  serve: Serve,
  context: Pick<EngineContext, 'db' | 'clock' | 'config' | 'log'>,
  { google, tokens, admin, seal, requireGa4 }: Parts,
): void {
  const { kysely } = context.db

  serve('gaSettings', async (_, { storeId }) => {
    const row = await find(storeId)
    if (!row) throw notFound('connection to Google Analytics')
    return settingsOf(row)
  })
  serve('gaAccounts', async (_, { storeId }) => {
    await requireGa4(storeId)
    return admin.accounts(storeId)
  })
  serve('gaMeasurementIds', async ({ query: { propertyId } }, { storeId }) => {
    await requireGa4(storeId)
    return (await admin.streams(storeId, propertyId)).map(({ resource: _, ...stream }) => stream)
  })
  serve('connectGa', async (_, { storeId, shop }) => {
    await requireGa4(storeId)
    return { url: await consentUrl({ ...context, google, tokens }, { storeId, shop }) }
  })
  serve('finishGa', async ({ body }, { storeId }) => {
    await requireGa4(storeId)
    await finishConsent({ ...context, google, tokens }, storeId, body)
    return settingsOf((await find(storeId))!)
  })

  serve('setGaProperty', async ({ body: { accountId, propertyId } }, { storeId }) => {
    await requireGa4(storeId)
    const row = await connected(storeId)
    const account = (await withoutGuest(admin.accounts(storeId))).find(
      account => account.accountId === accountId,
    )
    if (!account)
      throw new HttpProblem(400, 'The connected Google user has no such account.', [
        { field: 'accountId', message: 'Choose one of the listed accounts.' },
      ])
    if (!account.properties.some(property => property.propertyId === propertyId))
      throw new HttpProblem(400, 'The account has no such property.', [
        { field: 'propertyId', message: 'Choose one of the account’s properties.' },
      ])
    const measurementIds = (await withoutGuest(admin.streams(storeId, propertyId))).map(
      stream => stream.measurementId,
    )
    // Another property starts switched off: the merchant decides what we send where.
    const isSame = row.property_id === propertyId
    const chosen = {
      account_id: accountId,
      property_id: propertyId,
      measurement_ids: JSON.stringify(measurementIds),
      ...(!isSame && { enabled: false, measurement_id: null, api_secret: null, last_error: null }),
    }
    return change(storeId, chosen, row)
  })

  serve('enableGa', async (_, { storeId }) => {
    await requireGa4(storeId)
    const row = await connected(storeId)
    if (row.enabled) return settingsOf(row)
    if (!row.property_id) throw new HttpProblem(409, 'Choose a property first.')
    const stream = bestStream(
      await withoutGuest(admin.streams(storeId, row.property_id)),
      await hostOf(storeId),
    )
    if (!stream)
      throw new HttpProblem(
        409,
        'The property has no web stream. Add one in Google Analytics, under Data streams.',
      )
    const secret = await withoutGuest(admin.secret(storeId, stream))
    // We do not send exposures from before.
    const [last] = await query<{ seq: number | null }>(
      kysely,
      'select max(seq) as seq from events where store_id = $1 and kind = 0 and set_aside = 0 and day >= $2',
      [storeId, firstDaySent(context.clock())],
    )
    const on = {
      enabled: true,
      measurement_id: stream.measurementId,
      api_secret: seal.close(storeId, secret),
      sent_to: last?.seq ?? 0,
      attempts: 0,
      next_attempt_at: context.clock(),
      last_error: null,
    }
    return change(storeId, on, row)
  })

  serve('disableGa', async (_, { storeId }) => {
    if (!(await find(storeId))) throw notConnected()
    return change(storeId, { enabled: false, last_error: null })
  })
  serve('disconnectGa', async (_, { storeId }) => {
    await disconnectGoogle({ ...context, google, tokens }, storeId)
    return { ok: true as const }
  })

  const find = (storeId: string): Promise<Row | undefined> =>
    kysely
      .selectFrom('analytics_settings')
      .selectAll()
      .where('store_id', '=', storeId)
      .executeTakeFirst()
  async function connected(storeId: string): Promise<Row> {
    const row = await find(storeId)
    if (!row?.refresh_token) throw notConnected()
    return row
  }
  /**
   * With `from`, a row that was read, it throws HttpProblem 409 when another property was chosen
   * since, in another tab.
   */
  async function change(
    storeId: string,
    to: Updateable<AnalyticsSettingsTable>,
    from?: Row,
  ): Promise<GaSettings> {
    const row = await kysely
      .updateTable('analytics_settings')
      .set(to)
      .where('store_id', '=', storeId)
      .$if(from !== undefined, query =>
        query.where('property_id', 'is not distinct from', from!.property_id),
      )
      .returningAll()
      .executeTakeFirst()
    if (row) return settingsOf(row)
    throw (await find(storeId)) ? chosenMeanwhile() : notConnected()
  }
  const hostOf = async (storeId: string): Promise<string> =>
    (
      await kysely
        .selectFrom('stores')
        .select('domain')
        .where('store_id', '=', storeId)
        .executeTakeFirstOrThrow()
    ).domain
}

/**
 * Revokes our access at Google and deletes the settings. An uninstall does this too. Throws
 * HttpProblem 502 when Google cannot be reached; even then we send nothing more.
 */
export async function disconnectGoogle(
  { db, google, tokens }: Pick<EngineContext, 'db'> & Pick<Parts, 'google' | 'tokens'>,
  storeId: string,
): Promise<void> {
  await db.kysely
    .updateTable('analytics_settings')
    .set({ enabled: false })
    .where('store_id', '=', storeId)
    .execute()
  const token = await tokens.refresh(storeId)
  if (token) await google.revoke(token)
  await db.kysely.deleteFrom('analytics_settings').where('store_id', '=', storeId).execute()
}

const notConnected = () =>
  new HttpProblem(409, 'Google Analytics is not connected. Connect it first.')

const chosenMeanwhile = () =>
  new HttpProblem(409, 'Another property was chosen meanwhile. Load the page again.')

/**
 * Turns Google's 400, 401, 403 and 404 into a 409, because the caller would read a 401 as the end
 * of its own session.
 */
async function withoutGuest<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof HttpProblem && [400, 401, 403, 404].includes(error.status))
      throw new HttpProblem(409, error.status === 401 ? notConnected().message : error.message)
    throw error
  }
}

/** The stream with the shop's own address, otherwise the first that Google lists. */
const bestStream = (streams: Stream[], host: string): Stream | undefined =>
  streams.find(({ url }) => URL.canParse(url) && new URL(url).host === host) ?? streams[0]

const settingsOf = (row: Row): GaSettings => ({
  accountId: row.account_id,
  propertyId: row.property_id,
  measurementIds: row.measurement_ids,
  enabled: row.enabled,
  measurementId: row.measurement_id,
  connected: row.refresh_token !== null,
  problem: row.last_error,
})
