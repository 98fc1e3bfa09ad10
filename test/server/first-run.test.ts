import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { endFirstRun, firstRun } from '../../server/first-run.ts'

const folder = () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'first-run-'))
  t.teardown(() => rmSync(dataDir, { recursive: true, force: true }))
  return dataDir
}
const use = (dataDir: string, content: string) => {
  mkdirSync(join(dataDir, 'pg'), { recursive: true })
  writeFileSync(join(dataDir, 'pg', 'data'), content)
}

t.test('a first run that was killed starts again with an empty folder', async t => {
  const dataDir = folder(),
    first = firstRun(dataDir)
  t.match(first, { isDue: true, isInterrupted: false })
  first.begin()
  use(dataDir, 'half of it')
  const second = firstRun(dataDir)
  t.match(second, { isDue: true, isInterrupted: true })
  second.wipe()
  t.notOk(existsSync(join(dataDir, 'pg')))
  t.equal(readFileSync(join(dataDir, 'pg.interrupted', 'data'), 'utf8'), 'half of it')
  second.begin()
  use(dataDir, 'all of it')
  second.end()
  t.match(firstRun(dataDir), { isDue: false, isInterrupted: false })
})

t.test('a folder in use is never treated as an interrupted first run', async t => {
  const dataDir = folder()
  firstRun(dataDir).begin()
  use(dataDir, 'half of it')
  // As a start without demo data or a restore does.
  endFirstRun(dataDir)
  t.match(firstRun(dataDir), { isDue: false, isInterrupted: false })
})

t.test('a folder that existed before its first start is not an interrupted run', async t => {
  const dataDir = folder()
  use(dataDir, 'restored')
  firstRun(dataDir).begin()
  t.match(firstRun(dataDir), { isDue: true, isInterrupted: false })
  endFirstRun(dataDir)
  t.match(firstRun(dataDir), { isDue: true }, 'endFirstRun() leaves no note where there was none')
})
