import t from 'tap'
import { AppConfig } from '../../server/config.ts'
import { ProductConfig } from '../../server/product-config.ts'
import { EngineConfig } from '../../engine/config.ts'
import { metricsConfig, MetricsConfig } from '../../engine/metrics-config.ts'
import { DemoShopConfig } from '../../demo-shop/config.ts'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { code, filesOf, text } from './tree.ts'

const readme = text('README.md')

t.test('every configuration key is in the README', async t => {
  for (const config of [AppConfig, ProductConfig, EngineConfig, MetricsConfig, DemoShopConfig])
    for (const key of Object.keys(config.properties)) t.match(readme, `\`${key}\``, key)
  const read = code().flatMap(file => [...text(file).matchAll(/\benv(?:\.|\[')([A-Z][A-Z_]+)/g)].map(match => match[1]!))
  const foreign = new Set(['PATH', 'PLAYWRIGHT_JSON_OUTPUT_NAME', 'TEST_WORKER_INDEX', 'TEST_PARALLEL_INDEX', 'TAP_JOB_ID', 'NODE_COMPILE_CACHE', 'LOCALAPPDATA'])
  for (const key of new Set(read)) if (!foreign.has(key)) t.match(readme, `\`${key}\``, `${key} is read somewhere`)
})

t.test('fly.toml and Dockerfile set keys that there are, and mean the same ports', async t => {
  const fly = text('fly.toml'), docker = text('Dockerfile')
  const known = [AppConfig, ProductConfig, EngineConfig, MetricsConfig, DemoShopConfig].flatMap(config => Object.keys(config.properties))
  const section = (name: string) => new RegExp(`^\\[${name.replace('.', '\\.')}\\]\\n([^[]*)`, 'm').exec(fly)?.[1] ?? ''
  const set = Object.fromEntries([
    ...[...docker.matchAll(/^ENV (.*)$/gm)].flatMap(([, line]) => line!.split(' ').map(pair => pair.split('=') as [string, string])),
    ...[...section('env').matchAll(/^ *([A-Z_]+) = "(.*)"$/gm)].map(([, key, value]) => [key!, value!]),
  ]) as Record<string, string>
  for (const key of Object.keys(set)) t.ok(known.includes(key), key)
  const portOf = (part: string) => Number(/^ *(?:internal_)?port = ([0-9]+)$/m.exec(part)?.[1])
  t.same([portOf(section('http_service')), portOf(section('checks.ready'))], [Number(set['PORT']), Number(set['PORT'])])
  t.match(docker, `EXPOSE ${set['PORT']}\n`)
  t.match(metricsConfig(set), { port: portOf(section('metrics')), host: '::' }, 'what Fly.io asks is heard beyond loopback')
  t.same([...fly.matchAll(/^ *path = "(.*)"$/gm)].map(([, path]) => path), ['/healthz', '/readyz', '/metrics'])
})

t.test('every script of package.json is in the README, and the README names no other', async t => {
  const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> }
  const own = Object.keys(scripts).filter(name => !(name.startsWith('pre') && scripts[name.slice(3)] !== undefined))
  for (const name of own) t.match(readme, new RegExp(`npm (run (-s )?)?${name}\\b`), name)
  for (const [, name] of readme.matchAll(/npm (?:run (?:-s )?)([a-z]+)/g)) t.ok(own.includes(name!), `${name} exists`)
  for (const name of own) t.equal(scripts[`pre${name}`], 'node scripts/setup.js', `${name} sets itself up`)
})

t.test('documents link only to what exists', async t => {
  for (const file of filesOf('*.md', 'docs/**/*.md'))
    for (const [, target] of text(file).matchAll(/\]\((?!https?:|mailto:)([^)#]+)[^)]*\)/g)) t.ok(existsSync(join(dirname(file), target!)), `${file} -> ${target}`)
})
