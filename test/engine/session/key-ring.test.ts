import { SignJWT } from 'jose'
import t from 'tap'
import { authTokens } from '../../../engine/session/auth-tokens.ts'
import { engineConfig } from '../../../engine/config.ts'
import { sealOf } from '../../../engine/session/seal.ts'
import { keyRing, type KeyRing, keysFor } from '../../../engine/session/key-ring.ts'

const [old, fresh] = ['an-older-secret-0123456789', 'a-newer-secret-0123456789']
const at = new Date('2026-03-01T10:00:00Z'),
  caller = { storeId: 'a-store', shop: 'pots.example' }
/**
 * How a token without a session number is read: such tokens are from before session numbers
 * existed.
 */
const known = { ...caller, sessionNumber: 0 }
const tokens = (...ring: [string, ...string[]]) => authTokens(ring, () => at)

t.test('the first secret signs and seals, all of them verify and open', async t => {
  const { token } = await tokens(old).access(caller, at),
    link = await tokens(old).preview({ storeId: 'a-store', of: 'draft', id: 'd', arm: 1 })
  t.same(await tokens(fresh, old).readAccess(token), known, 'a session from before')
  t.match(await tokens(fresh, old).readPreview(link), { id: 'd', arm: 1 }, 'a link from before')
  t.equal(await tokens(fresh).readAccess(token), null, 'a secret that was removed verifies nothing')
  const { token: next } = await tokens(fresh, old).access(caller, at)
  t.same([await tokens(fresh).readAccess(next), await tokens(old).readAccess(next)], [known, null])
  const sealed = sealOf([old]).close('a-store', 'kept')
  t.same(
    [sealOf([fresh, old]).open('a-store', sealed), sealOf([fresh]).open('a-store', sealed)],
    ['kept', null],
  )
  t.same(
    [
      sealOf([fresh]).open('a-store', sealOf([fresh, old]).close('a-store', 'kept')),
      sealOf([fresh, old]).open('a-store', Buffer.from('short')),
    ],
    ['kept', null],
  )
})

t.test('each key has one purpose', async t => {
  const purposes = [
    'sessions',
    'previews',
    'consents',
    'platformTokens',
    'backups',
    'networks',
    'samples',
  ] as const
  t.equal(
    new Set(purposes.map(purpose => Buffer.from(keysFor([old], purpose)[0]).toString('hex'))).size,
    purposes.length,
  )
  const signed = (key: Uint8Array, kind: string) =>
    new SignJWT({ kind, shop: caller.shop, of: 'draft', id: 'd', arm: 1 })
      .setProtectedHeader({ alg: 'HS256' })
      .setIssuer('twinshelf')
      .setAudience(`twinshelf:${kind}`)
      .setSubject('a-store')
      .setExpirationTime(new Date(at.getTime() + 60_000))
      .sign(key)
  t.same(await tokens(old).readAccess(await signed(keysFor([old], 'sessions')[0], 'access')), known)
  t.equal(
    await tokens(old).readAccess(await signed(keysFor([old], 'previews')[0], 'access')),
    null,
    'the key of preview links is not valid for sessions',
  )
  t.equal(
    await tokens(old).readPreview(await signed(keysFor([old], 'sessions')[0], 'preview')),
    null,
  )
  const raw = new TextEncoder().encode(old)
  t.same(
    await tokens(fresh, old).readAccess(await signed(raw, 'access')),
    known,
    'tokens that were signed before keys were derived',
  )
  t.match(await tokens(fresh, old).readPreview(await signed(raw, 'preview')), { id: 'd' })
  t.equal(await tokens(fresh).readAccess(await signed(raw, 'access')), null)
})

t.test(
  'the ring is SECRETS and then SESSION_SECRET; a publicly known secret in it is an error',
  t => {
    const ring = (env: Record<string, string>): KeyRing => keyRing(engineConfig(env))
    const production = { NODE_ENV: 'production', DEMO_APP_SECRET: 'x'.repeat(16) }
    t.same(ring({ ...production, SESSION_SECRET: old }), [old], 'as before SECRETS existed')
    t.same(ring({ ...production, SECRETS: `${fresh}, ${old}` }), [fresh, old])
    t.same(ring({ ...production, SECRETS: fresh, SESSION_SECRET: old }), [fresh, old])
    t.same(
      ring({ SECRETS: fresh }),
      [fresh],
      'the repository’s secret is not added to a secret of your own',
    )
    t.equal(ring({}).length, 1)
    const known = ring({})[0]
    t.throws(() => ring(production), /SECRETS \(or SESSION_SECRET\) missing/)
    t.throws(() => ring({ ...production, SECRETS: `${fresh},short` }), /SECRETS/)
    t.throws(() => ring({ ...production, SECRETS: `${fresh},${known}` }), /secret of your own/)
    t.end()
  },
)
