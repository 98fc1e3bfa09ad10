import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const sources = [
  'domain',
  'storefront',
  'shopify',
  'islands',
  'views',
  'http',
  'engine',
  'demo-shop',
  'server',
  'scripts',
  'public',
  'docs/merchants.md',
  'package-lock.json',
]

/**
 * Whether the built program is missing or older than any of its sources. The modification time of a
 * folder reveals deleted files.
 */
export function isStale(): boolean {
  if (!existsSync('dist/main.js')) return true
  const built = statSync('dist/main.js').mtimeMs
  return sources.some(source => existsSync(source) && newest(source) > built)
}

function newest(path: string): number {
  const entry = statSync(path)
  if (!entry.isDirectory()) return entry.mtimeMs
  return Math.max(
    entry.mtimeMs,
    ...readdirSync(path)
      .filter(name => name !== 'built')
      .map(name => newest(join(path, name))),
  )
}
