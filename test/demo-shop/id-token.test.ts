import t from 'tap'
import { decodeJwt, jwtVerify } from 'jose'
import { appKey, appSecret, openShop } from './support/demo-shop.ts'

t.test(
  'the page around the app gets a fresh token for it, which other sites cannot read',
  async t => {
    const now = () => new Date('2026-11-20T15:00:00Z')
    const { app } = await openShop(t, { clock: now })
    const ask = (origin?: string) =>
      app.inject({
        url: '/admin/apps/twinshelf/id-token',
        ...(origin && { headers: { origin } }),
      })
    const tokens = await Promise.all(
      [ask(), ask()].map(async asked => (await asked).json<{ idToken: string }>().idToken),
    )
    for (const token of tokens)
      await jwtVerify(token, new TextEncoder().encode(appSecret), {
        currentDate: now(),
        audience: appKey,
      })
    t.not(decodeJwt(tokens[0]!).jti, decodeJwt(tokens[1]!).jti, 'each can be used once')
    const foreign = await ask('https://evil.test')
    t.notOk(foreign.headers['access-control-allow-origin'])
    t.match(foreign.headers, { 'cache-control': 'no-store' })
  },
)
