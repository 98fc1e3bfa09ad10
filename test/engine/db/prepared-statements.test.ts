import { PGlite } from '@electric-sql/pglite'
import t from 'tap'
import { prepareStatements } from '../../../engine/db/pglite/prepared-statements.ts'

const db = await PGlite.create()
t.teardown(() => db.close())
// A slow machine must not make a statement too old between two of its uses.
prepareStatements(db, { uses: 1000, age: Infinity })
let calls = 0
const send = db.execProtocolRawSync.bind(db)
db.execProtocolRawSync = message => {
  calls++
  return send(message)
}

t.beforeEach(() =>
  db.exec(
    `drop table if exists pots, marks;
    create table pots (id int primary key, name text not null, sold timestamptz, facts jsonb, sizes int[]);
    create table marks (pot int unique deferrable initially deferred)`,
  ),
)

/** How many statements are prepared. It asks in other words each time, which are not. */
let asked = 0
async function prepared(): Promise<number> {
  const { rows } = await db.query<{ n: number }>(
    `select count(*)::int as n from pg_prepared_statements -- ${asked++}`,
  )
  return rows[0]!.n
}

const insert =
  'insert into pots (id, name, sold, facts, sizes) values ($1, $2, $3, $4, $5) returning *'

t.test(
  'a statement gives the same answers each time, and one call runs it from the third on',
  async t => {
    for (let id = 1; id <= 8; id++) {
      const sold = id % 2 ? new Date(id * 86_400_000) : null,
        facts = { glaze: `ash "${id}"`, null: null },
        sizes = id % 3 ? [id, 2] : null
      const before = calls
      const { rows, affectedRows, fields } = await db.query(insert, [
        id,
        `Pot ${id}`,
        sold,
        facts,
        sizes,
      ])
      t.equal(calls - before, id < 3 ? 6 : 1)
      t.same(rows, [{ id, name: `Pot ${id}`, sold, facts, sizes }])
      t.equal(affectedRows, 1)
      t.same(
        fields.map(field => field.name),
        ['id', 'name', 'sold', 'facts', 'sizes'],
      )
    }
    const silent = 'update pots set name = name where id > $1'
    for (const from of [0, 3, 8, 7]) {
      const { rows, affectedRows } = await db.query(silent, [from])
      t.same([rows, affectedRows], [[], 8 - from], 'also a statement that returns nothing')
    }
  },
)

t.test('errors are the same, and the next statement works', async t => {
  for (let i = 0; i < 5; i++) {
    await db.query('delete from pots')
    await db.query(insert, [1, 'Jug', null, {}, []])
    await t.rejects(db.query(insert, [1, 'Jug', null, {}, []]), {
      code: '23505',
      query: insert,
      detail: 'Key (id)=(1) already exists.',
    })
    await t.rejects(db.query(insert, ['two', 'Jug', null, {}, []]), { code: '22P02' })
    await t.rejects(db.query('select nothing from pots'), { code: '42703' })
    t.same((await db.query('select id from pots')).rows, [{ id: 1 }])
  }
})

t.test('a transaction that has failed refuses each statement until its end', async t => {
  const count = 'select count(*)::int as n from pots'
  for (let i = 0; i < 4; i++) {
    await t.rejects(
      db.transaction(async trx => {
        await trx.query(insert, [i, 'Jug', null, {}, []])
        await trx.query(count)
        await t.rejects(trx.query('select 1 / $1::int', [0]), { code: '22012' })
        await t.rejects(trx.query(count), { code: '25P02' })
        throw new Error('Undo it.')
      }),
      /Undo it/,
    )
    t.same((await db.query(count)).rows, [{ n: 0 }])
  }
})

t.test('an error of the commit reaches the statement that commits', async t => {
  const mark = 'insert into marks (pot) values ($1)'
  for (let i = 0; i < 4; i++) {
    await db.query(mark, [i])
    await t.rejects(db.query(mark, [i]), { code: '23505' })
  }
  t.same((await db.query('select pot from marks order by pot')).rows.length, 4)
})

t.test('after a change of its table a statement has the new columns', async t => {
  const all = 'select * from pots'
  await db.query(insert, [1, 'Jug', null, {}, []])
  for (let i = 0; i < 3; i++) await db.query(all)
  t.ok((await prepared()) > 0)
  await db.query('alter table pots add column weight int default 7')
  t.match((await db.query(all)).rows, [{ id: 1, weight: 7 }])
  for (let i = 0; i < 3; i++) await db.query(all)
  await db.exec('alter table pots drop column facts')
  t.same((await db.query(all)).rows, [{ id: 1, name: 'Jug', sold: null, sizes: [], weight: 7 }])
  for (let i = 0; i < 3; i++) await db.query(all)
  await db.transaction(trx => trx.query(`do $$ begin drop table marks; end $$`))
  t.equal(await prepared(), 0, 'code may change tables as well')
})

t.test('settings of a transaction forget nothing', async t => {
  for (let i = 0; i < 3; i++)
    await db.transaction(async trx => {
      await trx.query('set local enable_sort = off')
      await trx.query('select id from pots where id = $1', [i])
    })
  t.equal(await prepared(), 1)
})

t.test('no more than 300 statements stay prepared: those that were used last', async t => {
  const callsOf = async (n: number) => {
    const before = calls
    const { rows } = await db.query<{ sum: number }>(`select $1::int + ${n} as sum`, [1])
    if (rows[0]!.sum !== n + 1) t.fail(`The sum of 1 and ${n} was ${rows[0]!.sum}.`)
    return calls - before
  }
  for (let n = 0; n < 320; n++) {
    for (let i = 0; i < 2; i++) await callsOf(n)
    await callsOf(0)
  }
  t.equal(await prepared(), 300)
  t.equal(await callsOf(0), 1)
  t.equal(await callsOf(1), 6, 'this one was forgotten')
  t.equal(await callsOf(319), 1)
})

t.test('statements that come at the same time do not meet', async t => {
  const sums = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      db.query<{ n: number }>(
        n % 2 ? 'select $1::int as n' : 'select $1::int as n union select $1',
        [n],
      ),
    ),
  )
  t.same(
    sums.map(({ rows }) => rows[0]!.n),
    Array.from({ length: 40 }, (_, n) => n),
  )
})

t.test('what undoes a definition, or hides one behind another word, forgets them too', async t => {
  const all = 'select * from pots'
  await t.rejects(
    db.transaction(async trx => {
      await trx.query('alter table pots add column weight int')
      for (let i = 0; i < 3; i++) await trx.query(all)
      throw new Error('Undo it.')
    }),
    /Undo it/,
  )
  for (let i = 0; i < 3; i++) t.same((await db.query(all)).rows, [])
  await db.exec('begin; alter table pots add column height int; commit')
  t.ok((await db.query(all)).fields.some(({ name }) => name === 'height'))
  for (let i = 0; i < 3; i++) await db.query(all)
  await db.transaction(async trx => {
    await trx.query('declare two cursor for select 1')
    await trx.query('fetch 1 from two')
    await trx.query('close two')
  })
  t.equal(await prepared(), 1)
})

t.test('a statement is prepared again before its tables have grown much', async t => {
  const grown = await PGlite.create()
  t.teardown(() => grown.close())
  prepareStatements(grown)
  await grown.exec(
    'create table pots (id int primary key, maker int); create index on pots (maker)',
  )
  const add = (from: number, to: number) =>
    grown.query('insert into pots select n, n from generate_series($1::int, $2) n', [from, to])
  const ask = 'select id from pots where maker = $1'
  await add(1, 20)
  await grown.exec('vacuum pots')
  for (let i = 0; i < 9; i++) await grown.query(ask, [i])
  await add(21, 20_000)
  const plan = async () => {
    const { rows } = await grown.query<{ name: string }>(
      'select name from pg_prepared_statements where statement = $1',
      [ask],
    )
    const [told] = await grown.exec(`explain execute ${rows[0]!.name}(7)`)
    return JSON.stringify(told!.rows)
  }
  for (let i = 0; i < 60; i++) await grown.query(ask, [i])
  t.match(await plan(), /Index|Bitmap/)
})
