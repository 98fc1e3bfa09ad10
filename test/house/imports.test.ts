import t from 'tap'
import { dirname, join, relative } from 'node:path'
import { filesOf, text } from './tree.ts'

/** Which folders may import which (docs/architecture.md, "Where things live"). */
const mayImport: Record<string, string[]> = {
  domain: ['domain'],
  storefront: ['storefront', 'domain'],
  shopify: ['shopify', 'storefront', 'domain'],
  islands: ['islands', 'domain'],
  views: ['views', 'islands', 'domain'],
  http: ['http', 'domain'],
  engine: ['engine', 'http', 'domain'],
  'demo-shop': ['demo-shop', 'http', 'domain'],
  server: ['server', 'views', 'islands', 'http', 'domain'],
}
// Only the composition root may import the engine and the demo shop into the app's process.
const crossings = new Set(['server/main.ts'])
// Simulated shoppers run the storefront script's own code: docs/decisions/002.
const isAllowedBeyond = (file: string, folder: string) =>
  file.startsWith('demo-shop/shoppers/') && folder === 'storefront'

// A text in quotes is no keyword.
const importPattern = /(?<!['"])\b(?:from|import)\s*\(?\s*['"]([^'"]+)['"]/g
const importsOf = (file: string) => [...text(file).matchAll(importPattern)].map(([, spec]) => spec!)
const resolved = (file: string, spec: string) => relative('.', join(dirname(file), spec))

for (const [folder, allowed] of Object.entries(mayImport)) {
  t.test(`${folder}/ imports only ${allowed.join(', ')}`, async t => {
    const files = filesOf(`${folder}/**/*.{ts,tsx}`)
    t.ok(files.length > 0, 'there is something to look at')
    const wrong = files
      .filter(file => !crossings.has(file))
      .flatMap(file =>
        importsOf(file)
          .filter(spec => spec.startsWith('.'))
          .map(spec => ({ file, spec, top: resolved(file, spec).split('/')[0]! }))
          .filter(({ top }) => !allowed.includes(top) && !isAllowedBeyond(file, top))
          .map(({ spec }) => `${file} -> ${spec}`),
      )
    t.same(wrong, [])
  })
}

t.test('domain/ and storefront/ use no I/O and no packages except typebox in domain/', async t => {
  const packages = (folder: string) =>
    filesOf(`${folder}/**/*.{ts,tsx}`).flatMap(file =>
      importsOf(file)
        .filter(spec => !spec.startsWith('.'))
        .map(spec => `${file} -> ${spec}`),
    )
  t.same(
    packages('domain').filter(line => !line.endsWith('-> typebox')),
    [],
    'domain imports typebox and no other package',
  )
  t.same(packages('storefront'), [], 'the shopper’s script imports no package')
})

t.test('the storefront script imports no validator, directly or indirectly', async t => {
  const seen = new Set<string>()
  const visit = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    for (const spec of valueImportsOf(file)) if (spec.startsWith('.')) visit(resolved(file, spec))
  }
  filesOf('storefront/**/*.ts').forEach(visit)
  t.same(
    [...seen].filter(file => valueImportsOf(file).includes('typebox')),
    [],
  )
})

/** Imports that remain when types are stripped. */
function valueImportsOf(file: string): string[] {
  return [
    ...text(file).matchAll(
      /^\s*(?:import|export)\s+(?!type\b)[^;'"]*?from\s*['"]([^'"]+)['"]|^\s*import\s*['"]([^'"]+)['"]/gm,
    ),
  ].map(match => (match[1] ?? match[2])!)
}

t.test('no file imports itself, directly or indirectly', async t => {
  const files = filesOf(`{${[...Object.keys(mayImport), 'scripts'].join(',')}}/**/*.{ts,tsx}`)
  const next = new Map(
    files.map(file => [
      file,
      valueImportsOf(file)
        .filter(spec => spec.startsWith('.'))
        .map(spec => resolved(file, spec)),
    ]),
  )
  const circles: string[] = [],
    done = new Set<string>()
  const walk = (file: string, path: string[]): void => {
    const from = path.indexOf(file)
    if (from >= 0) circles.push([...path.slice(from), file].join(' -> '))
    if (from >= 0 || done.has(file)) return
    for (const to of next.get(file) ?? []) walk(to, [...path, file])
    done.add(file)
  }
  for (const file of files) walk(file, [])
  t.same(circles, [])
})

t.test('the engine’s database layer imports nothing from the layers above it', async t => {
  // The domain may be imported: its rules name what tables hold, and migrations from before stores
  // had days use them.
  const above = filesOf('engine/db/*.ts').flatMap(file =>
    importsOf(file)
      .filter(spec => spec.startsWith('.') && !/^(engine\/db|domain)\//.test(resolved(file, spec)))
      .map(spec => `${file} -> ${spec}`),
  )
  t.same(above, [])
})

/** Folders of the engine that every feature may import, and that import no feature. */
const foundations = ['db', 'http', 'hub', 'jobs', 'platform', 'journal']
/**
 * Folders that are not features. The foundations may import them: they also need the session and
 * the browser.
 */
const noFeatures = [...foundations, 'session', 'browser']

t.test('the folders below the features import no feature', async t => {
  const above = foundations.flatMap(room =>
    filesOf(`engine/${room}/**/*.ts`).flatMap(file =>
      importsOf(file)
        .filter(spec => spec.startsWith('.'))
        .map(spec => resolved(file, spec))
        .filter(to => /^engine\/[^/]+\//.test(to) && !noFeatures.includes(to.split('/')[1]!))
        .map(to => `${file} -> ${to}`),
    ),
  )
  t.same(above, [])
})

t.test('folding a batch of events does not use the database', async t => {
  const isDatabase = (to: string) => /^(kysely|pg)$|^engine\/(db|events\/store)\//.test(to)
  const folds = filesOf('engine/events/fold/**/*.ts')
  t.ok(folds.length > 0, 'there is something to look at')
  t.same(
    folds.flatMap(file =>
      importsOf(file)
        .map(spec => (spec.startsWith('.') ? resolved(file, spec) : spec))
        .filter(isDatabase)
        .map(to => `${file} -> ${to}`),
    ),
    [],
    'not even types of the database',
  )
  const seen = new Set<string>()
  const visit = (file: string) => {
    if (seen.has(file)) return
    seen.add(file)
    for (const spec of valueImportsOf(file))
      if (spec.startsWith('.')) visit(resolved(file, spec))
      else seen.add(spec)
  }
  folds.forEach(visit)
  t.same([...seen].filter(isDatabase), [], 'no indirect import of the database')
})

/** Pairs of folders that import each other, types included. The number may only fall. */
const pairsLeft = 73

t.test('the number of folders that import each other does not rise', async t => {
  const imports = new Map<string, Set<string>>()
  for (const layer of ['domain', 'engine', 'server', 'views'])
    for (const file of filesOf(`${layer}/**/*.{ts,tsx}`))
      for (const spec of importsOf(file).filter(spec => spec.startsWith('.'))) {
        const [from, to] = [dirname(file), dirname(resolved(file, spec))]
        if (to !== from && to.split('/')[0] === layer)
          imports.set(from, (imports.get(from) ?? new Set()).add(to))
      }
  const pairs = [...imports].flatMap(([from, all]) =>
    [...all].filter(to => from < to && imports.get(to)?.has(from)).map(to => `${from} <-> ${to}`),
  )
  t.ok(pairs.length <= pairsLeft, `${pairs.length} pairs, ${pairsLeft} are allowed`)
  if (pairs.length < pairsLeft) t.comment(`lower ${pairsLeft} to ${pairs.length}`)
})
