import t from 'tap'
import { startEngine } from '../support/engine.ts'
import { googleStandIn } from '../support/google-stand-in.ts'
import { like } from '../support/like.ts'

const hour = 3_600_000
const google = await googleStandIn()
const { now, call, close } = await startEngine({}, google.env)
t.teardown(async () => {
  await close()
  await google.close()
})
/** Connects as the merchant does. Returns the refresh token that Google gave us. */
async function connect(): Promise<string> {
  const { url } = (await call('connectGa', {}))!
  await call('finishGa', { body: google.granted(url) })
  return [...google.grants].at(-1)!
}
/** A call that needs a new access token, while Google does not answer. */
async function renewing() {
  now.at = new Date(now.at.getTime() + hour)
  // Signs in first, so that only the call to Google waits.
  await call('gaSettings', {})
  const { isHeld, release } = google.hold('/token'),
    accounts = call('gaAccounts', {})
  await isHeld
  return { accounts, release }
}

t.test('a refused renewal of the old access does not end a new connection', async t => {
  const old = await connect()
  const { accounts, release } = await renewing()
  google.grants.delete(old)
  await connect()
  release()
  t.equal((await accounts)!.length, 2, 'the call uses the new access')
  t.match(await call('gaSettings', {}), { connected: true })
})

t.test('a renewal of the old access does not replace a new one', async t => {
  const { accounts, release } = await renewing()
  const grant = await connect()
  release()
  t.equal((await accounts)!.length, 2)
  await call('disconnectGa', {})
  t.equal(google.revoked.at(-1), grant)
})

t.test('switching on does not send to a property that another tab has replaced', async t => {
  await connect()
  const choose = (propertyId: string) =>
    call('setGaProperty', { body: { accountId: '1000', propertyId } })
  await choose('2000')
  const { isHeld, release } = google.hold('measurementProtocolSecrets'),
    switched = call('enableGa', {})
  await isHeld
  await choose('2001')
  release()
  await t.rejects(
    switched,
    like({ status: 409, problem: { message: /Another property was chosen/ } }),
  )
  t.match(await call('gaSettings', {}), {
    propertyId: '2001',
    enabled: false,
    measurementId: null,
  })
})
