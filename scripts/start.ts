import { spawnSync } from 'node:child_process'
import { isStale } from './build/freshness.ts'

// `npm start`: builds when a source is newer than the built program, then runs the same program as
// production.
process.chdir(new URL('..', import.meta.url).pathname)
if (isStale()) {
  const { status } = spawnSync(process.execPath, ['scripts/build.ts'], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
}
const program = new URL('../dist/main.js', import.meta.url).href
await import(program)
