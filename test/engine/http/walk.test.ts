import { readFileSync } from 'node:fs'
import t from 'tap'
import { type CallName, contract } from '../../../domain/api/contract.ts'
import { walkClosed } from '../support/walk/closed-walk.ts'
import { walkDrafts } from '../support/walk/draft-walk.ts'
import { walkStore } from '../support/walk/store-walk.ts'
import { walkTests } from '../support/walk/test-walk.ts'
import { startWalk } from '../support/walk/walker.ts'

/*
 * Makes every call of the product, as one merchant on the real demo shop. Each call is made at
 * least once, and its answer must show what was done before: it is never missing, always empty or
 * constant.
 */
const walk = await startWalk(t)
const { engine, call, storeId, idToken, walked } = walk

walkStore(t, walk)
walkDrafts(t, walk)
walkTests(t, walk)
walkClosed(t, walk)

t.test('a sign-out everywhere, and an uninstall whose job can be followed', async t => {
  await call('endSessions', { params: { id: storeId } })
  const { token } = await call('auth', { body: { idToken: await idToken() } })
  const { jobId } = await call(
    'uninstall',
    { params: { id: storeId }, body: { category: 'bug', reason: 'A walk' } },
    token,
  )
  await engine.runJobs()
  t.match(
    [
      await call('storeJob', { params: { id: jobId } }, token),
      await call('lastUninstall', { params: { id: storeId } }, token),
    ],
    [
      { id: jobId, kind: 'uninstall', status: 'completed' },
      { by: 'merchant', jobId, reason: 'A walk', finishedAt: String },
    ],
  )
})

t.test('every call was made', async t => {
  const { calls } = JSON.parse(readFileSync('test/cases/calls.json', 'utf8')) as {
    calls: [string, string][]
  }
  const form = (method: string, path: string) => `${method} ${path.replace(/:\w+/g, ':x')}`
  const asked = new Set([...walked].map(name => form(contract[name].method, contract[name].path)))
  t.same(
    calls.map(([method, path]) => form(method, path)).filter(each => !asked.has(each)),
    [],
  )
  t.same(
    Object.keys(contract).filter(name => !walked.has(name as CallName)),
    [],
  )
})
