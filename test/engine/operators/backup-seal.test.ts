import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import t from 'tap'
import { opened as openedFile, sealing, unsealing } from '../../../engine/operators/backup-seal.ts'

const key = randomBytes(32),
  older = randomBytes(32)
const inParts = (bytes: Buffer, size: number) =>
  Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
    })(),
    { objectMode: false },
  )
const sealed = (plain: Buffer, size = 10_000) => buffer(inParts(plain, size).pipe(sealing(key)))
const opened = async (file: Buffer, keys: Uint8Array[] = [older, key], size = 7_001) => {
  const through = unsealing(keys)
  inParts(file, size).pipe(through)
  return buffer(through)
}

t.test(
  'what was sealed is opened by any key of the ring, whatever its size and pieces',
  async t => {
    for (const length of [0, 1, 65_535, 65_536, 65_537, 131_072, 300_000]) {
      const plain = randomBytes(length),
        file = await sealed(plain)
      t.ok(
        (
          await buffer(await openedFile(inParts(file, Math.max(3, (length / 500) | 0)), [key]))
        ).equals(plain),
      )
      t.ok(
        (
          await buffer(await openedFile(inParts(plain, Math.max(3, (length / 500) | 0)), [key]))
        ).equals(plain),
        'what is not sealed stays as it is',
      )
      for (const size of [1_000, 65_536, 1_000_000])
        t.ok(
          (await opened(file, [older, key], size)).equals(plain),
          `${length} in pieces of ${size}`,
        )
    }
    await t.rejects(
      openedFile(inParts(Buffer.from('of a stranger'), 5), [key], { mustBeSealed: true }),
      /not sealed, so nobody can know who made it/,
    )
    t.notOk((await sealed(Buffer.alloc(1000, 'a'))).includes('aaaa'))
    t.notSame(
      await sealed(Buffer.from('a')),
      await sealed(Buffer.from('a')),
      'never the same twice',
    )
  },
)

t.test(
  'another key, a changed byte, a missing or moved piece, and a file cut short are refused in words',
  async t => {
    const file = await sealed(randomBytes(200_000)),
      chunk = 65_552,
      header = 20
    await t.rejects(opened(file, [older]), /not among SECRETS/)
    for (const at of [8, 15, header, header + 70_000, file.length - 1]) {
      const changed = Buffer.from(file)
      changed[at]! ^= 1
      await t.rejects(opened(changed), /changed or is not whole|not among SECRETS/, `byte ${at}`)
    }
    const pieces = [0, 1, 2, 3].map(n =>
        file.subarray(header + n * chunk, header + (n + 1) * chunk),
      ),
      with_ = (order: number[]) =>
        Buffer.concat([file.subarray(0, header), ...order.map(n => pieces[n]!)])
    for (const order of [[0, 1, 2], [0, 2, 1, 3], [1, 2, 3], [0, 1, 2, 3, 3], []])
      await t.rejects(opened(with_(order)), /changed or is not whole/, order.join())
    for (const length of [0, 3, header - 1, header + 5, file.length - 1])
      await t.rejects(opened(file.subarray(0, length)), /not whole/, `${length} bytes`)
    await t.rejects(opened(Buffer.alloc(100, 'x')), /no sealed backup/)
    for (const length of [0, 10, 100])
      await t.rejects(
        openedFile(inParts(Buffer.alloc(length, 'x'), 7), [key], { mustBeSealed: true }),
        /not sealed, so nobody can know who made it/,
      )
  },
)
