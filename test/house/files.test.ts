import t from 'tap'
import { basename, dirname } from 'node:path'
import { code, filesOf, text } from './tree.ts'

const files = code()
const linesMatching = (pattern: RegExp, among = files) =>
  among.flatMap(file =>
    text(file)
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1}`] : [])),
  )

t.test('no file is longer than 300 lines, no test longer than 500', async t => {
  const long = [...files, ...filesOf('{demo-shop,public}/**/*.{css,liquid}')]
    .map(file => ({ file, lines: text(file).trimEnd().split('\n').length }))
    .filter(({ file, lines }) => lines > (file.startsWith('test/') ? 500 : 300))
  t.same(long, [])
})

t.test('comments are wrapped at 100 columns, which the formatter does not do', async t => {
  t.same(linesMatching(/^(?=.{101})\s*(\/\/|\/?\*)(?!.*https?:\/\/)/), [])
})

t.test(
  'no test waits for what Playwright calls an idle network (test/quiet-network.ts)',
  async t => {
    t.same(linesMatching(/'network[i]dle'/), [])
  },
)

t.test('no folder holds more than 30 source files', async t => {
  const folders = new Map<string, number>()
  for (const file of files.filter(file => !/^(engine\/db\/migrations|test\/cases)\//.test(file)))
    folders.set(dirname(file), (folders.get(dirname(file)) ?? 0) + 1)
  t.same(
    [...folders].filter(([, count]) => count > 30),
    [],
  )
})

t.test('file names are kebab-case and say what the file holds', async t => {
  t.same(
    files.filter(file => !/^[a-z0-9.-]+$/.test(basename(file))),
    [],
  )
  t.same(
    files.filter(file => /(^|[-.])(utils?|helpers?|manager|service)([-.]|$)/.test(basename(file))),
    [],
  )
})

t.test(
  'no regular expression is built from merchants’ text: only these files build one, from the code’s own words',
  async t => {
    const own = [
      'domain/amounts.ts',
      'domain/brand/brand-style-form.ts',
      'domain/drafts/page-piece.ts',
      'domain/google/gtm-id.ts',
      'domain/routes.ts',
    ]
    const product = files.filter(file =>
      /^(domain|http|engine|server|storefront|islands|views|demo-shop)\//.test(file),
    )
    t.same(
      linesMatching(/\bRegExp\(/, product).map(line => line.split(':')[0]),
      own,
    )
    // match() also makes a regular expression from a string. This file searches for the code's
    // own name in an address.
    t.same(
      linesMatching(/\.(match|matchAll|search)\(['"`]/, product).map(line => line.split(':')[0]),
      ['storefront/preview/preview-link.ts'],
    )
  },
)

t.test('the lengths of a day and an hour are written once, in domain/time-units.ts', async t => {
  const own = [
    // Parts of the shopper's script, which has a size limit.
    'domain/events/event.ts',
    'storefront/core.ts',
    // Every page loads this file. Sharing a file with islands would add one more file to load.
    'domain/idle.ts',
    // Change these together with their neighbours.
    'domain/drafts/pictures/choice-picture.ts',
    'engine/drafts/sample-plan.ts',
  ]
  const product = files.filter(
    file =>
      /^(bench|domain|http|engine|server|storefront|islands|views|demo-shop|scripts)\//.test(
        file,
      ) && !own.includes(file),
  )
  t.same(linesMatching(/\b(86_?400_?000|3_?600_?000)\b/, product), [])
})

t.test('no default export outside the configuration of tools, and no barrel', async t => {
  t.same(
    linesMatching(
      /^\s*export default\b/,
      files.filter(file => !file.endsWith('.config.ts')),
    ),
    [],
  )
  t.same(linesMatching(/^\s*export\s+(\*|\{[^}]*\})\s*from\b/), [])
})

t.test('types are explicit: no any, no enum, no disabled check', async t => {
  const typescript = files.filter(
    file => /\.tsx?$/.test(file) && file !== 'test/house/files.test.ts',
  )
  t.same(linesMatching(/(:|\bas|<|,)\s*any\b(?=\s*[;,)>=[\]|&{}]|$)/, typescript), [])
  t.same(linesMatching(/^\s*(export\s+)?(const\s+)?enum\s/, typescript), [])
  t.same(linesMatching(/@ts-(ignore|nocheck)/, typescript), [])
})

t.test('no test is skipped or run alone, and no test waits for a time', async t => {
  const tests = files.filter(
    file => /\.(test|spec)\.tsx?$/.test(file) && file !== 'test/house/files.test.ts',
  )
  t.same(linesMatching(/\.(only|skip|todo|fixme)\(|waitForTimeout/, tests), [])
})

t.test('no file names a path of one machine or a registry', async t => {
  const everything = filesOf(
    '**/*.{ts,tsx,js,json,md,toml,css,liquid,sh}',
    'Dockerfile',
    '.ci/run',
    '.taprc',
    '.npmrc',
    '.*.json',
  ).filter(file => file !== 'package-lock.json')
  t.same(linesMatching(/(^|["'\s=(])\/(work|root|Users|home\/[a-z])[/"'\s]/, everything), [])
  // A download address in the lock file would tie a clone to one network.
  t.notMatch(text('package-lock.json'), /"resolved": "https?:/)
  t.same(linesMatching(/^\s*(registry|.*_authToken)\s*=/, filesOf('.npmrc')), [])
})
