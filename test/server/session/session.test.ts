import t from 'tap'
import { mock } from 'node:test'
import type { AuthTokens } from '../../../domain/calls/session.ts'
import { sessions } from '../../../server/session/session.ts'
import { UpstreamProblem } from '../../../server/upstream/upstream-problem.ts'

const now = new Date('2026-11-21T12:00:00Z')
const tokenUntil = (time: number) =>
  `x.${Buffer.from(JSON.stringify({ exp: time / 1000 })).toString('base64url')}.y`
const inSeconds = (seconds: number) => tokenUntil(now.getTime() + seconds * 1000)

/**
 * Sessions with a fake API that records each request for new tokens. `answer` gives the result of
 * the n-th request.
 */
function asked(answer: (n: number) => Promise<AuthTokens>) {
  const refreshed: string[] = []
  const session = sessions(
    {
      auth: body => {
        refreshed.push('refreshToken' in body ? body.refreshToken : 'id')
        return answer(refreshed.length)
      },
    },
    () => now,
  )
  return { session, refreshed }
}
const tokens = (n: number): AuthTokens => ({
  token: `new-${n}`,
  expiresAt: '',
  refreshToken: `next-${n}`,
  refreshExpiresAt: '',
  shop: 'a.demo-shop.test',
})
const cookies = (token: string | undefined, refreshToken: string | undefined = 'r') => ({
  shop: 'a',
  token,
  refreshToken,
})

t.test('a token is used until 30 seconds before it expires', async t => {
  const { session, refreshed } = asked(async n => tokens(n))
  t.same(await session(cookies(inSeconds(31))), { token: inSeconds(31) })
  t.same(refreshed, [])
  t.equal(
    (await session(cookies(inSeconds(30), 'a')))?.token,
    'new-1',
    '30 seconds before its end it is renewed',
  )
  t.equal(
    (await session(cookies(inSeconds(-5), 'b')))?.token,
    'new-2',
    'an expired token is renewed',
  )
  t.equal((await session(cookies(undefined, 'c')))?.token, 'new-3', 'a missing token is renewed')
  for (const nonsense of [
    '',
    'x',
    'a.b.c',
    `x.${Buffer.from('{"exp":"soon"}').toString('base64url')}.y`,
    `x.${Buffer.from('null').toString('base64url')}.y`,
  ])
    t.match(
      (await session(cookies(nonsense, `d${nonsense}`)))?.token,
      /^new-/,
      `${nonsense || 'an empty one'} is no token`,
    )
  t.same(
    (await session(cookies(inSeconds(0), 'e')))?.renewed?.refreshToken?.slice(0, 5),
    'next-',
    'the browser gets the new pair of tokens',
  )
})

t.test('one renewal per session at a time; its result is shared for 50 ms', async t => {
  mock.timers.enable({ apis: ['setTimeout'] })
  t.teardown(() => mock.timers.reset())
  let land = () => {}
  const landing = new Promise<void>(resolve => {
    land = resolve
  })
  const { session, refreshed } = asked(async n => {
    if (n === 1) await landing
    return tokens(n)
  })
  const waiting = Array.from({ length: 20 }, () => session(cookies(undefined)))
  const other = session(cookies(undefined, 'another session'))
  land()
  t.same(new Set((await Promise.all(waiting)).map(s => s?.token)), new Set(['new-1']))
  t.equal((await other)?.token, 'new-2', 'other sessions do not share it')
  mock.timers.tick(49)
  t.equal(
    (await session(cookies(undefined)))?.token,
    'new-1',
    'a request right after it shares the result',
  )
  t.equal(refreshed.length, 2)
  mock.timers.tick(1)
  t.equal((await session(cookies(undefined)))?.token, 'new-3', 'a later request renews again')
})

t.test(
  'a refused renewal means no session; an API that does not answer is an error, not a sign-out',
  async t => {
    for (const status of [400, 401, 403, 404])
      t.equal(
        await asked(async () => {
          throw new UpstreamProblem(status, 'no')
        }).session(cookies(undefined)),
        null,
        String(status),
      )
    for (const status of [429, 502, 504])
      await t.rejects(
        asked(async () => {
          throw new UpstreamProblem(status, 'down')
        }).session(cookies(undefined)),
        { message: 'down' },
        String(status),
      )
    const { session, refreshed } = asked(async n => tokens(n))
    t.equal(
      await session({ shop: 'a', token: inSeconds(10), refreshToken: undefined }),
      null,
      'there is no refresh token',
    )
    t.same(refreshed, [])
  },
)
