import { sql } from 'kysely'
import t from 'tap'
import { isLastStatement } from '../../../engine/db/lost.ts'
import type { Trx } from '../../../engine/db/types.ts'
import { freshDb } from '../support/harness.ts'

const db = await freshDb()
t.teardown(() => db.close())
await sql`create table written (name text primary key)`.execute(db.kysely)
const write = (trx: Trx, name: string) => sql`insert into written values (${name})`.execute(trx)
const last = <T>(work: () => Promise<T>) => isLastStatement.run(true, work)
const inTransaction = (work: (trx: Trx) => Promise<unknown>) =>
  db.kysely.transaction().execute(work)
const written = async () => {
  const { rows } = await sql<{
    name: string
  }>`delete from written returning name`.execute(db.kysely)
  return rows.map(({ name }) => name).sort()
}

t.test('a transaction’s last statement commits it', async t => {
  await inTransaction(async trx => {
    await write(trx, 'first')
    await last(() => write(trx, 'last'))
  })
  t.same(await written(), ['first', 'last'])
  await inTransaction(trx => last(() => write(trx, 'the only one')))
  t.same(await written(), ['the only one'])
})

t.test('a last statement that fails undoes the transaction', async t => {
  for (const before of [['first'], []]) {
    await t.rejects(
      inTransaction(async trx => {
        for (const name of before) await write(trx, name)
        await last(() => sql`select 1 / 0`.execute(trx))
      }),
      { code: '22012' },
    )
    t.same(await written(), [])
  }
})

t.test(
  'after its last statement a transaction refuses another one',
  { skip: !db.pool && 'PGlite commits at the end' },
  async t => {
    await t.rejects(
      inTransaction(async trx => {
        await last(() => write(trx, 'last'))
        await write(trx, 'too late')
      }),
      /has sent its last statement/,
    )
    t.same(await written(), ['last'])
  },
)

t.test('a transaction without a statement ends, and so does one that throws', async t => {
  await inTransaction(async () => {})
  const thrown = new Error('thrown')
  await t.rejects(
    inTransaction(() => Promise.reject(thrown)),
    thrown,
  )
  await t.rejects(
    inTransaction(async trx => {
      await write(trx, 'undone')
      throw thrown
    }),
    thrown,
  )
  t.same(await written(), [])
})
