import t from 'tap'
import { text } from './tree.ts'

/** Licences that packages in production may have. */
const allowed = new Set([
  'MIT',
  'MIT-0',
  'ISC',
  '0BSD',
  'BSD-0-Clause',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'CC0-1.0',
  'Unlicense',
  'Zlib',
])
/**
 * Licences that tools for building and testing may have as well: no part of them is distributed.
 */
const ofTools = new Set([...allowed, 'MPL-2.0', 'Python-2.0', 'CC-BY-3.0', 'CC-BY-4.0'])
/** Packages with another licence, each with its reason. */
const exceptions: [name: RegExp, licence: string, why: string][] = [
  [
    /^@img\/sharp-/,
    'LGPL-3.0-or-later',
    'libvips comes as a shared library of its own, unchanged, that anybody can replace',
  ],
  [
    /^(jsonc-simple-parser|busboy|dicer|streamsearch|humanize-number|only)$/,
    'none',
    'tools whose licence file or page is MIT; their package.json does not say so, or in an old way',
  ],
]

type Package = { license?: string; dev?: boolean; devOptional?: boolean; version?: string }

t.test('every package has a licence that we allow', async t => {
  const { packages } = JSON.parse(text('package-lock.json')) as {
    packages: Record<string, Package>
  }
  const used = new Set<number>()
  const refused = Object.entries(packages).flatMap(([path, { license = 'none', dev }]) => {
    if (path === '') return []
    const name = path.replace(/^.*node_modules\//, '')
    const isAllowed = (one: string) =>
      (dev ? ofTools : allowed).has(one) ||
      exceptions.some(([own, licence], i) => own.test(name) && licence === one && used.add(i))
    // "A OR B" is a choice: one allowed licence is enough. With "A AND B" all must be allowed.
    const holds = license
      .replace(/[()]/g, '')
      .split(' OR ')
      .some(choice => choice.split(' AND ').map(isAllowed).every(Boolean))
    return holds ? [] : [`${name}: ${license}`]
  })
  t.same(refused, [])
  t.equal(used.size, exceptions.length, 'every exception is needed')
})

t.test('the image uses exactly the Node version that we run and test on', async t => {
  const { packages } = JSON.parse(text('package-lock.json')) as {
    packages: Record<string, Package>
  }
  const bases = [...text('Dockerfile').matchAll(/^FROM (\S+)/gm)].map(([, base]) => base!)
  t.equal(new Set(bases).size, 1)
  t.match(
    bases[0],
    new RegExp(
      `^node:${packages['node_modules/node']?.version?.replaceAll('.', '\\.')}-bookworm-slim(@sha256:[0-9a-f]{64})?$`,
    ),
  )
})
