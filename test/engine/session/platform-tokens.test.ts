import t from 'tap'
import { PassThrough, Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { createGunzip } from 'node:zlib'
import { pino } from 'pino'
import { callTimeouts } from '../../../domain/call-timeouts.ts'
import { noAccess, VendorProblem } from '../../../domain/problem.ts'
import { day, hour, minute } from '../../../domain/time-units.ts'
import { withVendorsWithin } from '../../../engine/http/vendor-calls.ts'
import { writeBackup } from '../../../engine/operators/backup.ts'
import type { PlatformAdapter } from '../../../engine/platform/adapter.ts'
import { demoPlatform } from '../../../engine/platform/demo/demo.ts'
import { GrantRefused, SignInNeeded, type TokenSource } from '../../../engine/platform/tokens.ts'
import { platformTokens } from '../../../engine/session/platform-tokens.ts'
import { sealOf } from '../../../engine/session/seal.ts'
import { like } from '../support/like.ts'
import { quietLog } from '../support/quiet-log.ts'
import { seedStore } from '../support/seeds.ts'
import { appKey, appSecret, firstShop, secondShop, sessionSecret } from '../support/small-shop.ts'
import { startWithShop } from '../support/with-shop.ts'

t.setTimeout(120_000)
let logged = ''
const log = pino(
  { level: 'trace' },
  new Writable({
    write: (chunk: Buffer, _, done) => {
      logged += chunk.toString()
      done()
    },
  }),
)
/** The shop's clock: the engine's, and `ahead` of it. */
const shopClock = { ahead: 0, now: () => new Date() }
const stage = await startWithShop(
  { log },
  {},
  { clock: () => new Date(shopClock.now().getTime() + shopClock.ahead) },
)
shopClock.now = () => stage.now.at
const { db, now, shop, shopOrigin, call, idToken, engine, close } = stage
t.teardown(close)
const later = (milliseconds: number) => (now.at = new Date(now.at.getTime() + milliseconds))
const store = (await call('storeInfo', {})).id
const seal = sealOf([sessionSecret])
const row = () => db.kysely.selectFrom('platform_tokens').selectAll().executeTakeFirstOrThrow()
const clear = async () => {
  const { access_token, refresh_token } = await row()
  return [seal.open(store, access_token!)!, seal.open(store, refresh_token!)!] as const
}
const signIn = async () => call('auth', { body: { idToken: await idToken() } })
const search = () =>
  call('searchProducts', { params: { id: store }, query: { query: '', pageSize: 1 } })

type Refresh = PlatformAdapter['refresh']
/**
 * The tokens as another process of the engine has them: the real shop and database, with nothing in
 * memory. `asked` counts the requests for new tokens.
 */
function anotherProcess(around: (refresh: Refresh) => Refresh = refresh => refresh) {
  const adapter = demoPlatform({ appKey, appSecret, shopOrigin })
  t.teardown(adapter.close)
  const process = { asked: 0 }
  const refresh = around(adapter.refresh)
  const { source } = platformTokens({
    db,
    clock: () => now.at,
    log: quietLog,
    ring: [sessionSecret],
    platformOf: () => ({
      ...adapter,
      refresh: async (...given) => {
        process.asked++
        return refresh(...given)
      },
    }),
  })
  const shopName = (source: TokenSource) =>
    demoPlatform({ appKey, appSecret, shopOrigin, tokens: source })
  return Object.assign(process, { source, use: () => useOf(shopName(source)) })
}
async function useOf(adapter: PlatformAdapter): Promise<string> {
  try {
    return (await adapter.shop(firstShop)).shop
  } finally {
    await adapter.close()
  }
}
/** The lease of a process that was killed ends after some seconds. */
const endLease = () =>
  db.kysely
    .updateTable('platform_tokens')
    .set({ leased_until: new Date(0) })
    .execute()
/** Settles when the shop has the newest script. */
async function published(): Promise<void> {
  const waiting = () =>
    db.kysely
      .selectFrom('published_scripts')
      .select('store_id')
      .whereRef('wanted', '>', 'published')
      .executeTakeFirst()
  while (await waiting()) await pause(20)
}

t.test('a sign-in exchanges its token for tokens that only the key ring opens', async t => {
  const [access, refresh] = await clear()
  t.match(access, /^demo_access_/)
  t.match(refresh, /^demo_refresh_/)
  const { access_expires_at, refresh_expires_at } = await row()
  t.ok(Math.abs(access_expires_at!.getTime() - now.at.getTime() - hour) < minute)
  t.ok(Math.abs(refresh_expires_at!.getTime() - now.at.getTime() - 90 * day) < minute)
  const file = new PassThrough()
  const [backup] = await Promise.all([
    text(file.pipe(createGunzip())),
    writeBackup(db, file).then(() => file.end()),
  ])
  t.match(backup, 'platform_tokens')
  const hexOf = (token: string) => Buffer.from(token).toString('hex')
  for (const token of [access, refresh])
    for (const form of [token, hexOf(token), Buffer.from(token).toString('base64')])
      t.notOk(backup.includes(form), 'not in the database, so in no backup')
  t.equal(sealOf(['another secret of the ring']).open(store, (await row()).access_token!), null)
  await signIn()
  t.equal((await row()).version, 1, 'a sign-in with good tokens leaves them alone')
})

t.test('a token is renewed five minutes before its end', async t => {
  const [access] = await clear()
  later(54 * minute)
  await search()
  t.equal((await clear())[0], access)
  later(2 * minute)
  await search()
  t.not((await clear())[0], access)
  t.equal((await row()).version, 2)
  t.match(await row(), { lease_id: null, needs_sign_in_at: null })
})

t.test('two processes that need a new token make one request', async t => {
  later(2 * hour)
  const processes = [anotherProcess(), anotherProcess(), anotherProcess()]
  const tokens = await Promise.all(
    processes.flatMap(({ source }) => [source(firstShop), source(firstShop)]),
  )
  t.equal(new Set(tokens).size, 1)
  t.equal(
    processes.reduce((sum, { asked }) => sum + asked, 0),
    1,
  )
  t.equal((await clear())[0], tokens[0])
})

t.test('a token that still works a little is used while another process renews it', async t => {
  later(57 * minute)
  const [access] = await clear()
  let isAsking!: () => void, goOn!: () => void
  const asking = new Promise<void>(resolve => (isAsking = resolve)),
    going = new Promise<void>(resolve => (goOn = resolve))
  const slow = anotherProcess(refresh => async (...given) => {
    isAsking()
    await going
    return refresh(...given)
  })
  const renewed = slow.source(firstShop)
  await asking
  t.equal(await anotherProcess().source(firstShop), access)
  goOn()
  t.equal(await renewed, (await clear())[0])
  t.not(await renewed, access)
})

t.test('an answer that was lost is asked for again', async t => {
  later(2 * hour)
  let isLost = true
  const unlucky = anotherProcess(refresh => async (...given) => {
    const issued = await refresh(...given)
    if (isLost) throw new VendorProblem('shop', 504, 'The shop did not answer.')
    return issued
  })
  await t.rejects(unlucky.source(firstShop), like({ status: 504 }))
  isLost = false
  t.equal(await unlucky.use(), firstShop)
  t.equal(await anotherProcess().use(), firstShop)
})

t.test('a process that dies between the answer and the store loses nothing', async t => {
  later(2 * hour)
  let isAnswered!: () => void
  const answered = new Promise<void>(resolve => (isAnswered = resolve))
  const dying = anotherProcess(refresh => async (...given) => {
    await refresh(...given)
    isAnswered()
    return new Promise(() => {})
  })
  void dying.source(firstShop)
  await answered
  await endLease()
  t.equal(await anotherProcess().use(), firstShop)
  t.equal((await row()).needs_sign_in_at, null)
})

t.test('a process that was away while its lease ended changes nothing', async t => {
  later(2 * hour)
  let isAnswered!: () => void, goOn!: () => void
  const answered = new Promise<void>(resolve => (isAnswered = resolve)),
    going = new Promise<void>(resolve => (goOn = resolve))
  const late = anotherProcess(refresh => async (...given) => {
    const issued = await refresh(...given)
    isAnswered()
    await going
    return issued
  })
  const token = late.source(firstShop)
  await answered
  await endLease()
  const stored = await anotherProcess().source(firstShop)
  goOn()
  t.equal(await token, stored)
  t.equal(await late.use(), firstShop)
})

t.test('a token that the shop refuses is replaced once, and the call is repeated', async t => {
  const { version } = await row()
  // The shop ends the access token earlier than it said.
  shopClock.ahead = 2 * hour
  const { use } = anotherProcess()
  t.equal(await use(), firstShop)
  t.equal((await row()).version, version + 1)
  shopClock.ahead = 0
})

t.test('a shop that refuses all tokens needs a sign-in, and the next one heals it', async t => {
  const session = await signIn()
  shop.endTokens()
  const refusal = like({ status: 502, problem: { message: noAccess } })
  await t.rejects(search(), refusal)
  t.ok((await row()).needs_sign_in_at)
  const process = anotherProcess()
  await t.rejects(process.source(firstShop), new SignInNeeded())
  t.equal(process.asked, 0, 'the shop is not asked again')
  const { jobId } = await call('uninstall', {
    params: { id: store },
    body: { category: 'other', reason: '' },
  })
  await engine.runJobs()
  t.match(await call('storeJob', { params: { id: jobId } }), {
    status: 'errored',
    message: noAccess,
  })
  await t.rejects(
    call('auth', { body: { refreshToken: session.refreshToken } }),
    like({ status: 401 }),
    'so the browser signs in by itself, and that heals the store',
  )
  await signIn()
  t.equal((await row()).needs_sign_in_at, null)
  t.ok(await search())
  t.equal(await process.use(), firstShop)
})

t.test('a platform that refused us by mistake is asked again an hour later', async t => {
  // A publication that was refused above is tried again by itself, and would renew the tokens here.
  await published()
  let isMistaken = true
  const process = anotherProcess(refresh => async (...given) => {
    if (isMistaken) throw new GrantRefused(true)
    return refresh(...given)
  })
  later(hour)
  const refused = () => t.rejects(process.source(firstShop), new SignInNeeded(true))
  await refused()
  later(hour - 1)
  await refused()
  t.equal(process.asked, 1, 'not before')
  later(1)
  await refused()
  t.equal(process.asked, 2)
  t.match(await row(), { is_removed: true, needs_sign_in_at: now.at }, 'it refuses us again')
  isMistaken = false
  later(hour)
  t.equal(await process.use(), firstShop)
  t.match(await row(), { is_removed: false, needs_sign_in_at: null }, 'healed without a sign-in')
})

t.test('waiting for the tokens of one shop takes no time from another shop', async t => {
  const waiting = await seedStore(db, { shop: secondShop, domain: secondShop })
  // Its process was killed while it asked.
  const leased_until = new Date(Date.now() + hour)
  await db.kysely
    .insertInto('platform_tokens')
    .values({ store_id: waiting, leased_until, updated_at: now.at })
    .execute()
  const { source } = anotherProcess()
  const asPerson = (shop: string, all: number) =>
    withVendorsWithin({ all, each: all }, () => source(shop))
  await t.rejects(asPerson(secondShop, 2 * callTimeouts.silentVendor), like({ status: 504 }))
  later(hour)
  await db.kysely
    .updateTable('platform_tokens')
    .set({ leased_until })
    .where('store_id', '=', store)
    .execute()
  const told = asPerson(firstShop, 20_000)
  await pause(2 * callTimeouts.silentVendor)
  await endLease()
  t.ok(await told, 'it waits for longer than for a silent shop')
  await db.kysely.deleteFrom('stores').where('store_id', '=', waiting).execute()
})

t.test('a store from before tokens gets its first ones without a sign-in', async t => {
  await db.kysely.deleteFrom('platform_tokens').execute()
  const processes = [anotherProcess(), anotherProcess()]
  const [one, two] = await Promise.all(processes.map(({ source }) => source(firstShop)))
  t.equal(one, two)
  t.match(await row(), { version: 1, lease_id: null })
  t.equal(await processes[0]!.use(), firstShop)
})

t.test('an uninstall erases the tokens', async t => {
  const { jobId } = await call('uninstall', {
    params: { id: store },
    body: { category: 'other', reason: '' },
  })
  await engine.runJobs()
  const { status } = await db.kysely
    .selectFrom('jobs')
    .select('status')
    .where('job_id', '=', jobId)
    .executeTakeFirstOrThrow()
  t.equal(status, 'completed')
  t.same(await db.kysely.selectFrom('platform_tokens').selectAll().execute(), [])
  await t.rejects(anotherProcess().source(firstShop), new SignInNeeded(true))
  t.same(await db.kysely.selectFrom('platform_tokens').selectAll().execute(), [])
  await stage.platform.uninstall(firstShop).catch(() => {})
  await shop.app.inject({ method: 'POST', url: '/admin/apps/twinshelf/install' })
  await signIn()
  t.equal(await anotherProcess().use(), firstShop)
})

t.test('no token was ever logged', t => {
  t.ok(logged.length > 0)
  t.notMatch(logged, /demo_(access|refresh)_/)
  t.end()
})
