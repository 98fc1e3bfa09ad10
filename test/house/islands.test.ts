import t from 'tap'
import { registry } from '../../islands/registry.ts'
import { bundledIslands } from '../../scripts/build/build-islands.ts'

t.test('each island has a file of its own; React is in one file, and in no other', async t => {
  const { files, boot, needs } = await bundledIslands()
  t.same(Object.keys(needs).toSorted(), Object.keys(registry).toSorted())
  const text = (file: string) => Buffer.from(files.get(file)!).toString()
  for (const [island, all] of Object.entries(needs)) {
    t.equal(all[0], boot)
    t.equal(all.filter(file => file.startsWith(`${island}-`)).length, 1, `${island} has a file`)
    t.same(
      all.filter(file => Object.keys(registry).some(other => file.startsWith(`${other}-`))).length,
      1,
      `${island} needs no other island`,
    )
    t.same(
      all.filter(file => text(file).includes('react.dev/errors')).map(file => file.slice(0, 6)),
      ['react-'],
    )
    t.notOk(
      all.some(file => text(file).includes('~kind')),
      `${island} has no schema of the domain`,
    )
  }
  // A small file is a request that costs more than it brings.
  const chunks = [...files].filter(([file]) => file.startsWith('chunk-'))
  t.ok(chunks.length > 0)
  for (const [file, content] of chunks) t.ok(content.length > 1000, `${file}: ${content.length}`)
})
