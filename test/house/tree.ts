import { globSync, readFileSync } from 'node:fs'

const made = [
  'node_modules',
  'dist',
  '.tsc',
  '.tap',
  '.git',
  'data',
  'test-results',
  'playwright-report',
  'bench-results',
]
const isMade = (path: string) => made.includes(path) || path === 'public/built'

/** The project's own files that match, relative to its root. Files that tools make are left out. */
export const filesOf = (...patterns: string[]): string[] =>
  globSync(patterns, { exclude: isMade })
    .filter(path => !path.split('/').some(isMade))
    .map(path => path.replaceAll('\\', '/'))
    .sort()

export const codeFolders = [
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
  'bench',
  'test',
]
/** TypeScript and JavaScript written by hand. */
export const code = (): string[] =>
  filesOf('*.{ts,js}', `{${codeFolders.join(',')}}/**/*.{ts,tsx,js}`)
export const text = (path: string): string => readFileSync(path, 'utf8')
