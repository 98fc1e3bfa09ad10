import { parse } from 'smol-toml'
import t from 'tap'
import { AppConfig } from '../../server/config.ts'
import { ProductConfig } from '../../server/product-config.ts'
import { EngineConfig } from '../../engine/config.ts'
import { metricsConfig, MetricsConfig } from '../../engine/operators/metrics-config.ts'
import { DemoShopConfig } from '../../demo-shop/config.ts'
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { requirementLines, requirementsPage } from './requirement-lines.ts'
import { code, filesOf, text } from './tree.ts'

const readme = text('README.md')

t.test('every configuration key is in the README', async t => {
  for (const config of [AppConfig, ProductConfig, EngineConfig, MetricsConfig, DemoShopConfig])
    for (const key of Object.keys(config.properties)) t.match(readme, `\`${key}\``, key)
  const read = code().flatMap(file =>
    [...text(file).matchAll(/\benv(?:\.|\[')([A-Z][A-Z_]+)/g)].map(match => match[1]!),
  )
  const foreign = new Set([
    'PATH',
    'PLAYWRIGHT_JSON_OUTPUT_NAME',
    'TEST_WORKER_INDEX',
    'TEST_PARALLEL_INDEX',
    'TAP_JOB_ID',
    'NODE_COMPILE_CACHE',
    'LOCALAPPDATA',
  ])
  for (const key of new Set(read))
    if (!foreign.has(key)) t.match(readme, `\`${key}\``, `${key} is read somewhere`)
})

t.test('fly.toml and Dockerfile set only existing keys, and use the same ports', async t => {
  const fly = text('fly.toml'),
    docker = text('Dockerfile')
  const known = [AppConfig, ProductConfig, EngineConfig, MetricsConfig, DemoShopConfig].flatMap(
    config => Object.keys(config.properties),
  )
  const section = (name: string) =>
    new RegExp(`^\\[${name.replace('.', '\\.')}\\]\\n([^[]*)`, 'm').exec(fly)?.[1] ?? ''
  const set = Object.fromEntries([
    ...[...docker.matchAll(/^ENV (.*)$/gm)].flatMap(([, line]) =>
      line!.split(' ').map(pair => pair.split('=') as [string, string]),
    ),
    ...[...section('env').matchAll(/^ *([A-Z_]+) = "(.*)"$/gm)].map(([, key, value]) => [
      key!,
      value!,
    ]),
  ]) as Record<string, string>
  for (const key of Object.keys(set)) t.ok(known.includes(key), key)
  const portOf = (part: string) => Number(/^ *(?:internal_)?port = ([0-9]+)$/m.exec(part)?.[1])
  t.same(
    [portOf(section('http_service')), portOf(section('checks.ready'))],
    [Number(set['PORT']), Number(set['PORT'])],
  )
  t.match(docker, `EXPOSE ${set['PORT']}\n`)
  t.match(
    metricsConfig(set),
    { port: portOf(section('metrics')), host: '::' },
    'the metrics server listens beyond loopback, because Fly.io asks it',
  )
  t.same(
    [...fly.matchAll(/^ *path = "(.*)"$/gm)].map(([, path]) => path),
    ['/healthz', '/readyz', '/metrics'],
  )
})

t.test(
  'the files for several machines on Fly.io set only existing keys, and fit together',
  async t => {
    const fileOf = (name: string) =>
      parse(text(`deploy/fly/${name}.toml`)) as {
        app: string
        env: Record<string, string>
        http_service?: { internal_port: number }
        services?: { internal_port: number; ports: { port: number }[] }[]
      }
    const app = fileOf('app'),
      engine = fileOf('engine'),
      known = [AppConfig, ProductConfig, EngineConfig, MetricsConfig].flatMap(config =>
        Object.keys(config.properties),
      )
    for (const { env } of [app, engine])
      for (const key of Object.keys(env)) t.ok(known.includes(key), key)
    const [service] = engine.services!
    t.equal(app.env['API_ORIGIN'], `http://${engine.app}.flycast:${service!.ports[0]!.port}`)
    t.equal(service!.internal_port, Number(engine.env['ENGINE_PORT']))
    t.match(text('Dockerfile'), `PORT=${app.http_service!.internal_port} `)
    t.equal(app.env['APP_ORIGIN'], engine.env['APP_ORIGIN'])
    t.equal(engine.env['CLIENT_IP_HEADER'], undefined, 'that header would name the app')
  },
)

t.test('every script of package.json is in the README, and the README names no other', async t => {
  const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> }
  const own = Object.keys(scripts).filter(
    name => !(name.startsWith('pre') && scripts[name.slice(3)] !== undefined),
  )
  for (const name of own) t.match(readme, new RegExp(`npm (run (-s )?)?${name}\\b`), name)
  for (const [, name] of readme.matchAll(/npm (?:run (?:-s )?)([a-z:]+)/g))
    t.ok(own.includes(name!), `${name} exists`)
  for (const name of own)
    t.equal(scripts[`pre${name}`], 'node scripts/setup.js', `${name} runs the setup first`)
})

t.test('documents link only to files and sections that exist', async t => {
  for (const file of filesOf('*.md', 'docs/**/*.md'))
    for (const [, target, section] of text(file).matchAll(
      /\]\((?!https?:|mailto:)([^)#]*)(?:#([^)]*))?\)/g,
    )) {
      const path = target ? join(dirname(file), target) : file
      if (t.ok(existsSync(path), `${file} -> ${path}`) && section !== undefined)
        t.ok(sectionsOf(path).slugs.has(section), `${file} -> ${path}#${section}`)
    }
})

/** Folders that tools or the running program make. */
const made =
  /^(dist|public\/built|node_modules|data|pictures|bench-results|test-results|\.mutants|\.tsc)\//
const tops = new Set(filesOf('*/**', '.ci/**').map(file => file.split('/')[0]!))
const names = new Set(filesOf('**', '.ci/**', '.*').map(file => basename(file)))

t.test('every file that a document names in code marks exists', async t => {
  let count = 0
  for (const file of filesOf('*.md', 'docs/*.md'))
    for (const [, code] of text(file).matchAll(/`([^`\n]+)`/g))
      for (const word of code!.split(/[\s'"()|,;=]+(?![^{]*\})/)) {
        const path = word.replace(/^\.\//, '').replace(/[.:]$/, ''),
          isFile = /^[\w-]+(\.[\w-]+)*\.(ts|tsx|js|css|md|json|sql|toml)$/.test(path)
        // A name with a placeholder and an address are not paths of the repository.
        if (/[<>$:…]|NNN/.test(path) || made.test(path) || foreignNames.has(path)) continue
        if (path.includes('/') ? !tops.has(path.split('/')[0]!) : !isFile) continue
        count++
        t.ok(
          path.includes('/') ? existsSync(path) || filesOf(path).length > 0 : names.has(path),
          `${file}: ${path}`,
        )
      }
  t.ok(count > 100, `${count} names were found`)
})
/** Files outside the repository that a document may name. */
const foreignNames = new Set(['cases.json'])

t.test('comments cite only documents, sections and decision records that exist', async t => {
  for (const file of code()) {
    const source = inOneLine(text(file))
    for (const [, document] of source.matchAll(/(?<![\w*-])((?:[\w.-]+\/)*[\w-]+\.md)\b/g))
      t.ok(
        existsSync(document!) || existsSync(join(dirname(file), document!)),
        `${file}: ${document}`,
      )
    t.notMatch(source, /§ ?\d/, `${file}: cite a section by its name`)
    for (const [, document, section] of source.matchAll(
      /\b((?:docs\/)[\w/-]+\.md)(?:, "([^"]+)")?/g,
    ))
      if (t.ok(existsSync(document!), `${file}: ${document}`) && section)
        t.ok(sectionsOf(document!).titles.has(section), `${file}: ${document}, "${section}"`)
    for (const [, number] of source.matchAll(/\b[Dd]ecisions? (\d{3})\b/g))
      t.equal(filesOf(`docs/decisions/${number}-*.md`).length, 1, `${file}: decision ${number}`)
  }
})

t.test('every requirement that is cited by its number exists', async t => {
  const known = new Set(requirementLines(text(requirementsPage)).map(({ id }) => id))
  let count = 0
  for (const file of [...code(), ...filesOf('*.md', 'docs/**/*.md')])
    for (const [, numbers] of inOneLine(text(file)).matchAll(
      /\brequirements? (\d+\.\d+(?:(?:, | and | to )\d+\.\d+)*)/gi,
    ))
      for (const number of numbers!.split(/, | and | to /)) {
        count++
        t.ok(known.has(number), `${file}: requirement ${number}`)
      }
  t.ok(count > 80, `${count} citations were found`)
})

/** Joins the lines of comments: a citation may continue on the next line. */
const inOneLine = (source: string): string => source.replace(/\n *(?:\*|\/\/) /g, ' ')

/** The headings of a document, and the anchors that GitHub makes from them. */
function sectionsOf(file: string): { titles: Set<string>; slugs: Set<string> } {
  const titles = [
    ...text(file)
      .replace(/^```[\s\S]*?^```/gm, '')
      .matchAll(/^#+ (.+)$/gm),
  ].map(([, title]) => title!)
  const slug = (title: string) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
  return { titles: new Set(titles), slugs: new Set(titles.map(slug)) }
}
