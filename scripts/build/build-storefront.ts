import { mkdirSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { build } from 'esbuild'
import { minify, type MinifyOptions } from 'terser'
import {
  changeKinds,
  type ChangeKind,
  type ScriptConfig,
} from '../../domain/script/script-config.ts'
import {
  composeScript,
  memberNames,
  ownNames,
  type ScriptSources,
} from '../../engine/script/compose.ts'
import {
  nameOfRuntime,
  type RuntimeSwitch,
  switchChoices,
} from '../../domain/script/needed-parts.ts'
import type { ScriptPart } from '../../domain/script/script-part.ts'
import {
  bundleAlone,
  bundlePreview,
  compress,
  defined,
  placeholder,
  settings,
} from './bundle-alone.ts'
import { addresses, sampleTests, threes, threeTests } from './storefront-samples.ts'

/** Maximum size of the script in bytes after gzip, with three tests inside (5 kB). */
const budget = 5000

/**
 * Writes the sources of the storefront script and its preview to public/built/, where the engine
 * finds them. Prints the sizes. Throws when the script with `threeTests` is over its budget.
 */
export async function buildStorefront(): Promise<{ bytes: number; gzip: number }> {
  const { sources, preview } = await bundleStorefront()
  mkdirSync('public/built', { recursive: true })
  writeFileSync('public/built/storefront.json', JSON.stringify(sources))
  writeFileSync('public/built/preview.js', preview)
  const sizes = threes(sampleTests).map(tests => ({
    names: tests.map(({ name }) => name).join(', '),
    ...sizeOf(composeScript(sources, { ...addresses, tests: tests.map(({ test }) => test) })),
  }))
  const usual = sizeOf(composeScript(sources, threeTests)),
    largest = sizes.reduce((most, size) => (size.gzip > most.gzip ? size : most))
  console.log(
    `storefront script with three tests: ${usual.gzip} bytes gzip (${usual.bytes} plain); the largest three (${largest.names}): ${largest.gzip}; none: ${sizeOf(composeScript(sources, { ...addresses, tests: [] })).gzip}; budget ${budget}`,
  )
  if (usual.gzip > budget)
    throw new Error(
      `The storefront script is ${usual.gzip - budget} bytes gzip over its budget of ${budget}.`,
    )
  return usual
}

const sizeOf = (source: string) => ({
  bytes: Buffer.byteLength(source),
  gzip: gzipSync(source, { level: 9 }).length,
})

/** The source of each part of the script: the file, and the name of its export. */
const partFiles: Record<ScriptPart, [file: string, name: string]> = {
  elements: ['changes', 'applyChanges'],
  pages: ['own-pages', 'changesHere'],
  always: ['own-pages', 'showToAll'],
  prices: ['prices', 'showPrices'],
  redirect: ['travel', 'redirectPlace'],
  view: ['travel', 'viewPlace'],
  restore: ['travel', 'restorePlace'],
  leave: ['leave', 'leaveTheme'],
  entry: ['entry', 'entryRule'],
  audience: ['entry', 'audienceRule'],
  channel: ['channel', 'channelName'],
  api: ['api', 'answerShop'],
  manual: ['api', 'manualPlace'],
  speed: ['speed', 'watchSpeed'],
  log: ['log', 'logVisit'],
  pageApis: ['page-apis/load-part', 'loadPart'],
  sent: ['sent', 'sendOn'],
}

/**
 * Kinds of changes whose export has another name, because the kind is a word of the language or of
 * the runtime.
 */
const actNames: Partial<Record<ChangeKind, string>> = { class: 'classes', hide: 'hidden' }

/** Functions of the runtime that parts may call, so that parts need no copy of them. */
const shared: Record<string, string[]> = {
  'storefront/guard': ['guarded', 'on', 'hide', 'cover'],
  'domain/tests/assignment': ['assign', 'fnv1a32'],
  'storefront/memory': ['keep', 'recall'],
  'storefront/consent': ['isRefused'],
  'storefront/cart': ['cartSays', 'writeCart', 'actionOf', 'isAdd'],
  'storefront/storage': ['read', 'remove', 'write', 'readCookie', 'isLasting'],
}

const sharedNames = Object.values(shared).flat()

/**
 * Bundles the script's sources, and the preview script with a placeholder for its configuration.
 */
export async function bundleStorefront(): Promise<{ sources: ScriptSources; preview: string }> {
  const names = Object.keys(partFiles) as ScriptPart[]
  // One cache of short names, so that parts can call the runtime's functions by their short names.
  const nameCache = {
    props: {
      props: Object.fromEntries(
        Object.entries(memberNames).map(([name, short]) => [`$${name}`, short]),
      ),
    },
  }
  // One after the other: the order of minifying decides the names in the cache, and with them the
  // sizes.
  const preview = await bundlePreview(),
    usual = await bundleRuntime(nameCache)
  const parts: Partial<ScriptSources['parts']> = {}
  for (const name of names) parts[name] = await bundlePart(...partFiles[name], nameCache)
  const acts: Partial<ScriptSources['acts']> = {}
  for (const kind of changeKinds)
    acts[kind] = await bundlePart('change-acts', actNames[kind] ?? kind, nameCache)
  const runtimes = { [nameOfRuntime([])]: usual }
  for (const on of switchChoices.filter(on => on.length > 0))
    // A copy of the cache: parts must not call names that only this runtime has.
    runtimes[nameOfRuntime(on)] = await bundleRuntime(structuredClone(nameCache), on)
  return {
    sources: {
      runtimes,
      parts: parts as ScriptSources['parts'],
      acts: acts as ScriptSources['acts'],
      pixel: await bundleAlone('pixel/pixel'),
      pageApisPart: await bundleAlone('page-apis/part'),
    },
    preview,
  }
}

export const withConfig = (source: string, config: ScriptConfig): string =>
  source.replace(placeholder, () => JSON.stringify(config))

/**
 * Writes all declarations as `let`, because equal text compresses better. Variables that are never
 * reassigned behave the same.
 */
const alike = (code: string): string => code.replace(/\b(const|var)\b/g, 'let')

/**
 * Short names are given in the same order in the runtime and in every part, close to the frequency
 * of letters, because equal text compresses well. The order was found by trying.
 */
const letters = 'esratodcmlfhuipRbwgynOEkNTSxvCIADULHFPMWqGYBKjVzJQXZ$_'

const shortName = (n: number): string =>
  n < letters.length
    ? letters[n]!
    : shortName(Math.floor(n / letters.length) - 1) + letters[n % letters.length]!

/**
 * Properties that may be renamed: those of objects that never leave the script. They are not stored
 * or sent, do not belong to the browser, and are not read by name where the script is composed.
 */
const own = new RegExp(
  `^(canRedirect|newId|isForced|sendNow|store|tested|facts|redirect|arm|other|${Object.keys(memberNames).join('|')})$`,
)

const squeeze: MinifyOptions = {
  ecma: 2020,
  toplevel: true,
  mangle: {
    reserved: ownNames,
    nth_identifier: { get: shortName },
    properties: { regex: own, builtins: true },
  },
  // This turns some comparisons into ==, which gives the same result for the values compared here.
  compress: { ...compress, lhs_constants: false, booleans_as_integers: true },
}

async function bundleRuntime(
  nameCache: object,
  on: readonly RuntimeSwitch[] = [],
): Promise<string> {
  // Exports the shared names from one module: esbuild's output then tells what each is called in
  // the bundle.
  const contents = [
    "import './storefront/main.ts'",
    ...Object.entries(shared).map(
      ([file, names]) => `export { ${names.join()} } from './${file}.ts'`,
    ),
  ].join('\n')
  const { outputFiles } = await build({
    ...settings,
    stdin: { contents, resolveDir: '.' },
    format: 'esm',
    define: defined(on),
  })
  const [text, exported] = outputFiles[0]!.text.split(/\nexport \{([^}]*)\};\s*$/)
  if (
    !text ||
    sharedNames.some(name => !new RegExp(`(^|,)\\s*${name}\\s*(,|$)`).test(exported ?? ''))
  )
    throw new Error('The runtime has lost a name that its parts use.')
  const { code = '' } = await minify(text, {
    ...squeeze,
    nameCache,
    compress: { ...(squeeze.compress as object), top_retain: sharedNames },
  })
  return `(()=>{${alike(code)}})();`
}

/**
 * Bundles one function of a file, with everything it needs except the runtime's shared functions,
 * as an expression that can be a property's value.
 */
async function bundlePart(file: string, name: string, nameCache: object): Promise<string> {
  const own = new RegExp(
    `/(${Object.keys(shared)
      .map(file => file.split('/').at(-1))
      .join('|')})\\.ts$`,
  )
  const { outputFiles } = await build({
    ...settings,
    stdin: {
      contents: `import { ${name} } from './storefront/${file}.ts'\nglobalThis.part = ${name}`,
      resolveDir: '.',
    },
    format: 'esm',
    plugins: [
      {
        name: 'shared',
        setup: ({ onResolve }) => {
          onResolve({ filter: own }, ({ path }) => ({ path, external: true }))
        },
      },
    ],
  })
  const aliases: [own: string, name: string][] = []
  const imported = outputFiles[0]!.text
    .replace(/^import \{([^}]*)\} from .*$/gm, (_, names: string) => {
      for (const [name, own] of names.split(',').map(each => each.trim().split(' as '))) {
        if (!sharedNames.includes(name!))
          throw new Error(`${file}: the runtime does not share ${name}`)
        if (own) aliases.push([own, name!])
      }
      return ''
    })
    .trim()
    .replace(/globalThis\.part = (\w+);?$/, 'return $1')
  // A second file of the part imports the function under an alias.
  const text = aliases.reduce(
    (text, [own, name]) => text.replaceAll(new RegExp(`\\b${own}\\b`, 'g'), name),
    imported,
  )
  const { code = '' } = await minify(`__part((()=>{${text}})())`, { ...squeeze, nameCache })
  const [, before, part] = /^(.*?)__part\((.*)\);?$/s.exec(code) ?? []
  if (!part) throw new Error(`${file}: ${name} is not one expression`)
  return alike(before ? `(()=>{${before}return ${part}})()` : part)
}
