import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { Instrumenter } from '@stryker-mutator/instrumenter'

/** One fault. `source` is the whole file with the fault; `offset` is where it begins. */
export type Mutant = {
  key: string
  file: string
  mutator: string
  line: number
  original: string
  replacement: string
  offset: number
  source: string
}

/**
 * Names a fault by its text without layout, so that results survive a change of format or place.
 * `nth` numbers faults with the same text.
 */
export function keyOf(
  fault: { file: string; mutator?: string; original: string; replacement: string },
  nth = '',
): string {
  const bare = (code: string): string => code.replace(/\s+/g, '').replace(/,([)\]}])/g, '$1')
  return `${JSON.stringify([basename(fault.file), fault.mutator ?? '', bare(fault.original), bare(fault.replacement)])}${nth}`
}

/** Code without its layout. */
export function inOneLine(code: string): string {
  return code.replace(/\s+/g, ' ').trim()
}

/** All faults of a layer, except those in string literals and log lines. */
export async function mutantsOf(layer: string): Promise<Mutant[]> {
  const quiet = Object.assign(() => {}, { isDebugEnabled: () => false }),
    silent = new Proxy(
      {},
      { get: (_, key) => (String(key).startsWith('is') ? () => false : quiet) },
    )
  const instrumenter = new Instrumenter(silent as ConstructorParameters<typeof Instrumenter>[0])
  const found: Mutant[] = []
  const alike = new Map<string, number>()
  for (const file of globSync(`${layer}/**/*.{ts,tsx}`).sort()) {
    const source = readFileSync(file, 'utf8'),
      lines = source.split('\n'),
      starts = [0]
    for (const line of lines) starts.push(starts.at(-1)! + line.length + 1)
    const { mutants } = await instrumenter.instrument(
      [{ name: file, content: source, mutate: true }],
      { plugins: null, excludedMutations: ['StringLiteral'], ignorers: [], noHeader: true },
    )
    for (const {
      location: { start, end },
      mutatorName,
      replacement,
      status,
    } of mutants) {
      const [from, to] = [starts[start.line]! + start.column, starts[end.line]! + end.column]
      const isLogged =
        /\blog\.\w+\(/.test(lines[start.line]!) ||
        /\blog\.\w+\([^()]*$/.test(source.slice(Math.max(0, from - 300), from))
      if (status === 'Ignored' || isLogged) continue
      const original = source.slice(from, to)
      const text = keyOf({ file, mutator: mutatorName, original, replacement: replacement! })
      const nth = alike.get(text) ?? 0
      alike.set(text, nth + 1)
      found.push({
        key: `${text}${nth || ''}`,
        file,
        mutator: mutatorName,
        line: start.line + 1,
        offset: from,
        original,
        replacement: replacement!,
        source: source.slice(0, from) + replacement! + source.slice(to),
      })
    }
  }
  return found
}
