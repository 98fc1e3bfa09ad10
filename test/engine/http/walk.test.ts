import { readFileSync } from 'node:fs'
import t from 'tap'
import { type CallName, contract } from '../../../domain/api/contract.ts'
import { walkDrafts } from '../support/walk/draft-walk.ts'
import { walkStore } from '../support/walk/store-walk.ts'
import { walkTests } from '../support/walk/test-walk.ts'
import { startWalk } from '../support/walk/walker.ts'

/*
 * A walk over every call that the product makes, as one merchant on the real demo shop. Each is asked at least once, and
 * what it answers is seen to come from what was done: never missing, empty by construction or constant.
 */
const walk = await startWalk(t)
const { engine, call, storeId, idToken, walked } = walk

walkStore(t, walk)
walkDrafts(t, walk)
walkTests(t, walk)

t.test('signing out everywhere, and uninstall as a job that can be watched', async t => {
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

t.test('nothing was left out', async t => {
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
