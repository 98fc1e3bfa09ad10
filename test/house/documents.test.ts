import t from 'tap'
import { AppConfig } from '../../server/config.ts'
import { ProductConfig } from '../../server/product-config.ts'
import { EngineConfig } from '../../engine/config.ts'
import { DemoShopConfig } from '../../demo-shop/config.ts'
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { code, filesOf, text } from './tree.ts'

const readme = text('README.md')

t.test('every configuration key is in the README', async t => {
  for (const config of [AppConfig, ProductConfig, EngineConfig, DemoShopConfig])
    for (const key of Object.keys(config.properties)) t.match(readme, `\`${key}\``, key)
  const read = code().flatMap(file => [...text(file).matchAll(/\benv(?:\.|\[')([A-Z][A-Z_]+)/g)].map(match => match[1]!))
  const foreign = new Set(['PATH', 'PLAYWRIGHT_JSON_OUTPUT_NAME', 'TEST_WORKER_INDEX', 'NODE_COMPILE_CACHE'])
  for (const key of new Set(read)) if (!foreign.has(key)) t.match(readme, `\`${key}\``, `${key} is read somewhere`)
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

t.test('decision records are numbered without a gap', async t => {
  const numbers = filesOf('docs/decisions/*.md').map(file => Number(/(\d{3})-[a-z0-9-]+\.md$/.exec(file)?.[1]))
  t.same(numbers, numbers.map((_, i) => i + 1))
})
