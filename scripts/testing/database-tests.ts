import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const harness = 'test/engine/support/harness.ts'

/**
 * Whether the result of a test file can depend on `TEST_DATABASE_URL`: the file names it, or it
 * imports the harness that opens this database, itself or through other helpers.
 */
export function opensDatabase(file: string, seen = new Set<string>()): boolean {
  if (file === harness) return true
  if (seen.has(file) || !file.startsWith('test/') || !existsSync(file)) return false
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  return (
    text.includes('TEST_DATABASE_URL') ||
    [...text.matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)].some(([, path]) =>
      opensDatabase(join(file, '..', path!), seen),
    )
  )
}
