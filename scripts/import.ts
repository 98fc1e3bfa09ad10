import { createReadStream, existsSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { parseArgs } from 'node:util'
import { type Goal, goalNames } from '../domain/reports/goal.ts'
import { importLimit, type ImportOptions } from '../domain/imports/import.ts'
import { type TestKind, testKindNames } from '../domain/tests/test-kind.ts'
import { engineConfig } from '../engine/config.ts'
import { LockHeld } from '../engine/db/lock.ts'
import { type Db, openDb } from '../engine/db/connection.ts'
import { migrate } from '../engine/db/migrate.ts'
import { importTest } from '../engine/imports/imports.ts'

const usage = `npm run import -- <file.csv> [options]
  --shop <domain>        the shop it belongs to; needed where there are several
  --title <text>         the test's name; an existing name continues that test (default: the file's name)
  --goal <goal>          ${goalNames.join(', ')} (default: ${goalNames[0]})
  --split <50/50>        control's and variant's share of the visitors
  --kind <kind>          ${testKindNames.join(', ')} (default: PageElement)
  --min-effect <10>      smallest change that mattered, in percent
  --skip-bad             leave bad rows out instead of storing nothing`

let told = 0

/**
 * Imports a past experiment from a CSV file (docs/operators.md). With PGlite the product must be
 * stopped first; with Postgres it may run. It streams, so memory does not grow with the file.
 */
try {
  const {
    values,
    positionals: [file],
  } = parseArgs({
    allowPositionals: true,
    options: {
      shop: { type: 'string' },
      title: { type: 'string' },
      goal: { type: 'string' },
      split: { type: 'string' },
      kind: { type: 'string' },
      'min-effect': { type: 'string' },
      'skip-bad': { type: 'boolean' },
    },
  })
  if (!file) throw new Error(usage)
  if (!existsSync(file) || !statSync(file).isFile()) throw new Error(`There is no file ${file}.`)
  const options: ImportOptions = {
    title: titleOf(values.title ?? basename(file).replace(/\.[^.]*$/, '')),
    goal: oneOf<Goal>('--goal', goalNames, values.goal ?? goalNames[0]),
    kind: oneOf<TestKind>('--kind', testKindNames, values.kind ?? 'PageElement'),
    weights: weightsOf(values.split ?? '50/50'),
    minimumEffect: effectOf(values['min-effect'] ?? '10'),
    skipBad: values['skip-bad'] ?? false,
  }
  const { DATA_DIR, DATABASE_URL, DATABASE_LISTEN_URL } = engineConfig(process.env)
  const db = await openDb({
    dataDir: DATA_DIR,
    databaseUrl: DATABASE_URL,
    sessionUrl: DATABASE_LISTEN_URL,
  })
  try {
    await migrate(db)
    const shop = await shopOf(db, values.shop)
    const outcome = await importTest(db, createReadStream(file), {
      shop,
      options,
      now: new Date(),
      onProgress: tell,
    })
    for (const problem of outcome.problems) console.log(problem)
    if (outcome.skipped > 0) console.log(`${count(outcome.skipped, 'row')} left out`)
    console.log(
      outcome.hasChanged
        ? `${count(outcome.rows, 'row')} of ${count(outcome.visitors, 'visitor')} imported as “${options.title}” for ${shop}`
        : `“${options.title}” already has all of these rows; nothing has changed`,
    )
  } finally {
    await db.close()
  }
} catch (error) {
  if (error instanceof LockHeld)
    console.error(
      `${error.message}\nWhile it runs, staff may send files of up to ${importLimit / 1_000_000} MB: POST /api/v0/admin/imports (docs/operators.md).`,
    )
  else for (const line of linesOf(error)) console.error(line)
  process.exitCode = 1
}

function linesOf(error: unknown): string[] {
  const { fields = [], message } = error as { fields?: { message: string }[]; message: string }
  const more = /And [\d,]+ more\.$/.exec(message)
  return fields.length === 0
    ? [message]
    : [...fields.map(field => field.message), ...(more ? [more[0]] : []), 'Nothing was stored.']
}

function tell(what: 'read' | 'written', rows: number): void {
  // Small files are finished before anyone could read a progress line.
  if (rows < 50_000 || Date.now() - told < 5_000) return
  told = Date.now()
  console.log(`${rows.toLocaleString('en')} rows ${what}`)
}

async function shopOf({ kysely }: Db, wanted: string | undefined): Promise<string> {
  const shops = (
    await kysely
      .selectFrom('stores')
      .select('shop')
      .where('status', '=', 'installed')
      .orderBy('shop')
      .execute()
  ).map(row => row.shop)
  if (wanted !== undefined && shops.includes(wanted)) return wanted
  if (wanted === undefined && shops.length === 1) return shops[0]!
  if (shops.length === 0)
    throw new Error(
      'No shop is installed here yet. Start the product once, or install it in a shop.',
    )
  throw new Error(
    `${wanted === undefined ? 'Say for which shop' : `There is no shop ${wanted} here`}: --shop ${shops.slice(0, 20).join(', ')}`,
  )
}

function count(n: number, word: string): string {
  return `${n.toLocaleString('en')} ${word}${n === 1 ? '' : 's'}`
}

function titleOf(text: string): string {
  if (!text.trim() || text.length > 120) throw new Error('--title: write 1 to 120 characters.')
  return text.trim()
}

function oneOf<T extends string>(option: string, known: readonly T[], given: string): T {
  const found = known.find(name => name.toLowerCase() === given.toLowerCase())
  if (!found) throw new Error(`${option}: write one of ${known.join(', ')}.`)
  return found
}

function weightsOf(text: string): [number, number] {
  const [, control, variant] = /^(\d{1,2}(?:\.\d+)?)\/(\d{1,2}(?:\.\d+)?)$/.exec(text.trim()) ?? []
  if (control === undefined || variant === undefined)
    throw new Error('--split: write the shares in percent, control first, such as 50/50.')
  return [Number(control) / 100, Number(variant) / 100]
}

function effectOf(text: string): number {
  const percent = Number(text)
  if (!(percent >= 1 && percent <= 100))
    throw new Error('--min-effect: write a number from 1 to 100.')
  return percent / 100
}
