import { spawnSync } from 'node:child_process'
import { isStale } from './build/freshness.ts'

// `npm start`: builds when a source is newer than what was built, then runs the very program that production runs.
process.chdir(new URL('..', import.meta.url).pathname)
if (isStale()) {
  const { status } = spawnSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
const program = new URL('../dist/main.js', import.meta.url).href
await import(program)
