import t from 'tap'
import { authTokens } from '../../engine/auth-tokens.ts'
import { startEngine } from './engine.ts'
import { seedTest } from './seeds.ts'
import { firstShop, sessionSecret } from './small-shop.ts'
import { seedVisitorDays } from './visitor-days.ts'

const { engine, db, now, call, close } = await startEngine()
t.teardown(close)
const store = (await call('storeInfo', {})).id
const day = 86_400_000
const begun = new Date('2026-11-02T12:00:00Z')
const at = (days: number) => { now.at = new Date(begun.getTime() + days * day) }
// Tokens last ten minutes, these tests weeks.
const token = async () => (await authTokens(sessionSecret, () => now.at).access({ storeId: store, shop: firstShop }, now.at)).token
const put = async (id: string, status: 'Active' | 'Paused' | 'Ended') => call('updateTest', { params: { id }, body: { status } }, await token())
const summedUp = async (id: string) => { await engine.rollUp(); return call('test', { params: { id } }, await token()) }
/** Two weeks planned, enough visitors, no difference, and far too few for the early rule. */
async function newTest(): Promise<string> {
  at(0)
  const id = await seedTest(db, store, { start_at: begun, goal: 'ClickThroughRate', planned_visitors: 100_000 })
  await seedVisitorDays(db, store, id, '2026-11-03', [{ visitors: 1000, clickers: 100 }, { visitors: 1000, clickers: 100 }])
  return id
}

t.test('while a test stands still its planned end does not come, and after it the end is later', async t => {
  const id = await newTest()
  at(13)
  await put(id, 'Paused')
  at(20)
  const paused = await summedUp(id)
  t.match(paused.summary.verdict, { kind: 'leaning', reachedAt: null }, 'no verdict is taken at an end that is to move')
  t.notOk(paused.events.some(e => e.kind === 'Duration'))
  at(23.5)
  t.equal(Date.parse((await put(id, 'Active')).endsAt!), begun.getTime() + 24 * day)
  t.equal((await summedUp(id)).summary.verdict.kind, 'leaning')
  at(24.01)
  const over = await summedUp(id)
  t.match(over.summary.verdict, { kind: 'noDifference', reachedAt: now.at.toISOString() })
  t.equal(over.events.filter(e => e.kind === 'Duration').length, 1)
  t.equal(over.events.filter(e => e.kind === 'Lift').length, 1)
})

t.test('ending a paused test counts the days it stood still too: it ended before its planned end', async t => {
  const id = await newTest()
  at(10)
  await put(id, 'Paused')
  at(15.5)
  t.equal(Date.parse((await put(id, 'Ended')).endsAt!), begun.getTime() + 19 * day)
  t.match((await summedUp(id)).summary.verdict, { kind: 'leaning', reachedAt: null })
})

t.test('a planned end that had passed before the pause stays where it was', async t => {
  const id = await newTest()
  at(15)
  const { summary } = await summedUp(id)
  t.equal(summary.verdict.kind, 'noDifference')
  await put(id, 'Paused')
  at(18)
  t.same((await summedUp(id)).summary.verdict, summary.verdict, 'and so does the verdict')
  t.equal(Date.parse((await put(id, 'Active')).endsAt!), begun.getTime() + 14 * day)
})
