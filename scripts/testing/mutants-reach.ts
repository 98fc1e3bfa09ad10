import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** The test files that import each file, directly or not, nearest first. */
export function reachOfTests(): Map<string, string[]> {
  const imports = new Map<string, string[]>()
  const importsOf = (file: string): string[] => {
    if (!imports.has(file))
      imports.set(
        file,
        !existsSync(file)
          ? []
          : [
              ...readFileSync(file, 'utf8').matchAll(/from '(\.[^']+)'|'(scripts\/[\w-]+\.ts)'/g),
            ].map(([, spec, script]) => script ?? join(dirname(file), spec!)),
      )
    return imports.get(file)!
  }
  const reach = new Map<string, { test: string; distance: number }[]>()
  for (const test of globSync('test/{domain,engine,server}/**/*.test.ts').sort()) {
    const distances = new Map([[test, 0]])
    for (const [file, distance] of distances)
      for (const next of importsOf(file))
        if (!distances.has(next)) distances.set(next, distance + 1)
    for (const [file, distance] of distances)
      if (distance > 0)
        reach.set(file, [
          ...(reach.get(file) ?? []),
          { test, distance: distance === 1 ? 1 : 2 + distance / 100 - alikeness(file, test) },
        ])
  }
  return new Map(
    [...reach].map(([file, all]) => [
      file,
      all.sort((a, b) => a.distance - b.distance).map(({ test }) => test),
    ]),
  )
}

/**
 * How similar a test's name is to a file's name, from 0 to 1, and 0.5 more when both are in the
 * room of the same name:
 * one stem names a feature in every layer. A test that mentions the call of that name (`adminTests`
 * of admin-tests.ts) comes before all others.
 */
function alikeness(file: string, test: string): number {
  const called = basename(file)
    .replace(/\..*$/, '')
    .replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())
  if (/[A-Z]/.test(called) && new RegExp(`\\b${called}\\b`).test(readFileSync(test, 'utf8')))
    return 2
  const wordsOf = (path: string) =>
    basename(path)
      .replace(/\..*$/, '')
      .split('-')
      .map(word => word.replace(/s$/, ''))
  const theirs = wordsOf(test),
    own = wordsOf(file)
  return (
    own.filter(word => theirs.includes(word)).length / Math.max(own.length, theirs.length) +
    (dirname(test) === join('test', dirname(file)) ? 0.5 : 0)
  )
}
