import { PGlite, protocol } from '@electric-sql/pglite'
import t from 'tap'
import { readRowsAtOnce } from '../../../engine/db/pglite/data-rows.ts'

const db = await PGlite.create()
t.teardown(() => db.close())
type Message = Parameters<Parameters<InstanceType<typeof protocol.Parser>['parse']>[1]>[0]

/** The messages in these bytes, which come in pieces of this size. */
function messagesOf(bytes: Uint8Array, size: number): Message[] {
  const parser = new protocol.Parser(),
    messages: Message[] = []
  for (let at = 0; at < bytes.length; at += size) {
    // The database uses its memory again after each piece.
    const memory = bytes.slice(at, at + size)
    parser.parse(memory, message => messages.push(message))
    memory.fill(0xff)
  }
  return messages
}
const bytesOf = async (text: string) =>
  (await db.execProtocol(protocol.serialize.query(text), { throwOnError: false })).data

t.test('answers are what PGlite reads, in pieces of any size', async t => {
  const answers = [
    await bytesOf(`select null as a, '' as b, 'Käse – 🫙' as c, 1.5 as d, array[1, null] as e`),
    await bytesOf(`select n, repeat('ä', n * 37) as text from generate_series(0, 60) n`),
    await bytesOf(`select repeat('x', 300000) as long; select 1 where false; select`),
    await bytesOf(`do $$ begin raise notice 'careful'; end $$; select 2; select 1 / 0`),
    await bytesOf(`listen pots; notify pots, 'one'; select 3`),
  ]
  for (const bytes of answers) {
    // Every PGlite of this process may have been changed by another file.
    readRowsAtOnce()()
    const { parse } = protocol.Parser.prototype,
      expected = messagesOf(bytes, bytes.length)
    readRowsAtOnce()
    t.not(protocol.Parser.prototype.parse, parse, 'the two readers differ')
    for (const size of [1, 2, 3, 5, 7, 64, 1000, 8192, bytes.length].filter(
      size => bytes.length / size < 30_000,
    ))
      t.same(messagesOf(bytes, size), expected, `${bytes.length} bytes, ${size} at a time`)
  }
})

t.test('queries, errors, notices and notifications work as before', async t => {
  readRowsAtOnce()
  readRowsAtOnce()
  const heard: string[] = [],
    noticed: string[] = []
  const stop = await db.listen('pots', word => heard.push(word))
  t.same((await db.query('select $1::jsonb as a, null as b', [{ é: [1] }])).rows, [
    { a: { é: [1] }, b: null },
  ])
  await t.rejects(db.query('select 1 / 0'), { code: '22012' })
  await t.rejects(db.query('select n / (50 - n) from generate_series(1, 60) n'), { code: '22012' })
  t.same((await db.query('select 1 as n')).rows, [{ n: 1 }], 'after an error between rows')
  await db.exec(`do $$ begin raise notice 'careful'; end $$; notify pots, 'glazed'`, {
    onNotice: ({ message }) => noticed.push(String(message)),
  })
  t.same(noticed, ['careful'])
  t.same(heard, ['glazed'])
  await stop()
  const long = 'ä'.repeat(2_000_000)
  t.equal((await db.query<{ long: string }>('select $1 as long', [long])).rows[0]!.long, long)
})
