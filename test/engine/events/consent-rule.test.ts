import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { sql } from 'kysely'
import t from 'tap'
import { composeScript } from '../../../engine/script/compose.ts'
import { refusal, startEngine } from '../support/engine.ts'
import { seedStore, seedTest } from '../support/seeds.ts'
import { beacon, collect, event, noon, visitorIn } from '../support/traffic.ts'

const folder = mkdtempSync(join(tmpdir(), 'twinshelf-consent-')),
  runtime = join(folder, 'storefront.json')
const built = (refused: string) => `run(__TWINSHELF_CONFIG__,()=>${refused})`
writeFileSync(
  runtime,
  JSON.stringify({
    runtimes: { '': built('said()==0'), asksConsent: built('said()!=1') },
    parts: {},
    acts: {},
  }),
)
const { engine, db, now, call, close } = await startEngine({ runtimeFile: pathToFileURL(runtime) })
t.teardown(async () => {
  await close()
  rmSync(folder, { recursive: true, force: true })
})
now.at = new Date(noon)
const { id: storeId, consentRule } = await call('storeInfo', {})
await db.kysely
  .updateTable('stores')
  .set({ origin: 'http://localhost:3002' })
  .where('store_id', '=', storeId)
  .execute()
const testId = await seedTest(db, storeId)
const script = async () =>
  Buffer.from(
    (
      await db.kysely
        .selectFrom('published_scripts')
        .select('body')
        .where('store_id', '=', storeId)
        .executeTakeFirstOrThrow()
    ).body!,
  ).toString()
const visitors = async () =>
  (
    await sql<{
      name: string
    }>`select distinct split_part(visitor_id, '-', 2) as name from events order by 1`.execute(
      db.kysely,
    )
  ).rows.map(row => row.name)
async function visit(name: string, over: { consent?: true } = {}): Promise<void> {
  // The collector caches a store for two seconds at most.
  now.at = new Date(now.at.getTime() + 3_000)
  const { statusCode } = await collect(
    engine.app,
    beacon(
      visitorIn(testId, 0, name),
      { [testId]: [0, 7] },
      [event('exposure', now.at.getTime(), [testId])],
      { sent: now.at.getTime(), ...over },
    ),
  )
  t.equal(statusCode, 204)
}
const choose = (rule: 'afterConsent' | 'unlessRefused', id = storeId) =>
  call('setConsentRule', { params: { id }, body: { rule } })

t.test('a store counts everyone who has not refused, until it says otherwise', async t => {
  t.equal(consentRule, 'unlessRefused')
  await visit('anna')
  t.same(await visitors(), ['anna'])
  t.match(await choose('afterConsent'), { consentRule: 'afterConsent' })
  t.match(
    await script(),
    'said()!=1',
    'the script treats visitors who have not agreed like visitors who have refused',
  )
  await visit('bert')
  await visit('cleo', { consent: true })
  t.same(
    await visitors(),
    ['anna', 'cleo'],
    'nothing is stored of what an older script sends without consent',
  )
  await choose('unlessRefused')
  t.match(await script(), 'said()==0')
  await visit('dora')
  t.same(await visitors(), ['anna', 'cleo', 'dora'])
  t.equal(
    (await refusal(choose('afterConsent', await seedStore(db, { shop: 'other.demo-shop.test' }))))
      .status,
    404,
  )
})

t.test('a runtime that cannot follow the consent rule is not published', async t => {
  const sources = {
    runtimes: { '': '(()=>{const config=__TWINSHELF_CONFIG__})()' },
    parts: {} as never,
    acts: {} as never,
  }
  const config = { shop: 'a', collect: 'b', preview: 'c', tests: [] }
  t.ok(composeScript(sources, config))
  t.throws(() => composeScript(sources, { ...config, asksConsent: true }), /must have one place/)
})
