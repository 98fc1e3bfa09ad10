import { execFileSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism, cpus } from 'node:os'
import { blockingBench } from '../bench/blocking.ts'
import { collectorBench } from '../bench/collector.ts'
import { firstPaintBench } from '../bench/first-paint.ts'
import { freshBench } from '../bench/fresh.ts'
import { largeShopBench } from '../bench/large-shop.ts'
import { lighthouseBench } from '../bench/lighthouse.ts'
import { pageBench } from '../bench/page.ts'
import { reportBench } from '../bench/report.ts'
import type { BenchRow } from '../bench/row.ts'
import { scriptBench } from '../bench/script.ts'
import { sessionsBench } from '../bench/sessions.ts'
import { syncedBench } from '../bench/synced.ts'
import { ensureChromium } from './chromium.ts'

// `npm run bench [-- page script …]`: measures what the product promises. Results are ratios within
// one run on one machine.
process.chdir(new URL('..', import.meta.url).pathname)
const benches = {
  page: pageBench,
  sessions: sessionsBench,
  blocking: blockingBench,
  script: scriptBench,
  'first-paint': firstPaintBench,
  lighthouse: lighthouseBench,
  collector: collectorBench,
  report: reportBench,
  fresh: freshBench,
  synced: syncedBench,
  shop: largeShopBench,
}
type Name = keyof typeof benches
const isName = (name: string): name is Name => name in benches
const wanted = process.argv.slice(2)
const unknown = wanted.filter(name => !isName(name))
if (unknown.length > 0)
  throw new Error(
    `There is no bench ${unknown.join(', ')}; there are ${Object.keys(benches).join(', ')}.`,
  )

process.env['CHROMIUM_PATH'] = ensureChromium()
execFileSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' })
const rows: BenchRow[] = []
for (const name of Object.keys(benches)
  .filter(isName)
  .filter(name => wanted.length === 0 || wanted.includes(name))) {
  console.log(`measuring ${name} …`)
  const measured = await benches[name]()
  // Each part is told at once, in case a later one is interrupted.
  for (const { name, value, unit, ratio } of measured)
    console.log(`  ${name}: ${value} ${unit}${ratio === undefined ? '' : `, ratio ${ratio}`}`)
  rows.push(...measured)
}
const at = new Date().toISOString()
console.log(
  `\n${cpus()[0]?.model.trim() ?? 'unknown CPU'}, ${availableParallelism()} cores, Node ${process.version}\n`,
)
printTable(rows)
mkdirSync('bench-results', { recursive: true })
const file = `bench-results/${at.slice(0, 19).replaceAll(':', '')}.json`
writeFileSync(
  file,
  JSON.stringify({ at, node: process.version, cores: availableParallelism(), rows }, null, 2),
)
console.log(`\nwritten to ${file}`)
// Benches leave keep-alive connections open, so end the process explicitly.
process.exit(0)

function printTable(rows: BenchRow[]): void {
  const cells = rows.map(({ name, value, unit, ratio, target, against }) => [
    name,
    value.toLocaleString('en-US', { maximumFractionDigits: 2 }),
    unit,
    ratio === undefined ? '' : ratio.toFixed(2),
    target ?? '',
    against ?? '',
  ])
  const head = ['measured', 'value', 'unit', 'ratio', 'target', 'against']
  const widths = head.map((title, i) => Math.max(title.length, ...cells.map(row => row[i]!.length)))
  for (const row of [head, widths.map(width => '─'.repeat(width)), ...cells])
    console.log(
      row
        .map((cell, i) =>
          i === 1 || i === 3 ? cell.padStart(widths[i]!) : cell.padEnd(widths[i]!),
        )
        .join('  ')
        .trimEnd(),
    )
}
