import { build } from 'esbuild'
import { minify, type MinifyOptions } from 'terser'
import { type RuntimeSwitch } from '../../domain/script/needed-parts.ts'
import { memberNames, ownNames } from '../../engine/script/compose.ts'
import { compress, decimalPlacesDefined, defined, settings } from './bundle-alone.ts'

/** Functions of the runtime that parts may call, so that parts need no copy of them. */
const shared: Record<string, string[]> = {
  'storefront/guard': ['guarded', 'on', 'hide', 'cover'],
  'domain/tests/assignment': ['assign', 'fnv1a32'],
  'storefront/memory': ['keep', 'recall'],
  'storefront/consent': ['isRefused'],
  'storefront/core': ['isTested', 'pathOf'],
  'storefront/cart': ['cartSays', 'writeCart', 'unstampCart', 'actionOf', 'isAdd'],
  'storefront/storage': ['read', 'remove', 'write', 'readCookie', 'isLasting'],
}

const sharedNames = Object.values(shared).flat()

/**
 * Short names by name, each with a `$` before it. One cache for the runtime and its parts, so that
 * parts can call the runtime's functions by their short names.
 */
export type NameCache = {
  vars?: { props: Record<string, string> }
  props: { props: Record<string, string> }
}

/**
 * Writes declarations as `let`, because equal text compresses better. Not a `var` without any
 * value: terser puts these behind the code that uses them, where a `let` would make it throw.
 */
const alike = (code: string): string =>
  code.replace(/\bconst\b|\bvar\b(?! [\w$]+(,[\w$]+)*[;}])/g, 'let')

/**
 * Short names are given in the same order in the runtime and in every part, close to the frequency
 * of letters, because equal text compresses well. The order was found by trying.
 */
const letters = 'esratodcmlfhuipRbwygnOEkNTSxvCIADULHFPMWqGYBKjVzJQXZ$_'

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

/** The runtime for a shop with these switches. Its names are added to the cache. */
export async function bundleRuntime(
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
 * An expression that can be a property's value. `uses`: the short names of the runtime's functions
 * that it calls.
 */
export type BundledPart = { code: string; uses: string[] }

/**
 * Bundles one function of a file, with everything it needs except the runtime's shared functions.
 */
export const bundlePart = (
  file: string,
  name: string,
  nameCache: NameCache,
): Promise<BundledPart> =>
  bundleExpression(`import { ${name} } from './${file}.ts'`, name, nameCache)

/**
 * The same for an expression over what these imports give. Names that nobody declares stay as they
 * are. `loadedParts`: the text in place of storefront/embed/loaded-parts.ts.
 */
export async function bundleExpression(
  imports: string,
  expression: string,
  nameCache: NameCache,
  loadedParts = '',
): Promise<BundledPart> {
  const own = new RegExp(
    `/(${Object.keys(shared)
      .map(file => file.split('/').at(-1))
      .join('|')})\\.ts$`,
  )
  const { outputFiles } = await build({
    ...settings,
    define: decimalPlacesDefined,
    // So that constants of parts that are bundled together are written as their values.
    minifySyntax: loadedParts !== '',
    stdin: {
      contents: `${imports}\nglobalThis.part = ${expression}`,
      resolveDir: '.',
    },
    format: 'esm',
    plugins: [
      {
        name: 'shared',
        setup: ({ onResolve, onLoad }) => {
          onResolve({ filter: own }, ({ path }) => ({ path, external: true }))
          onLoad({ filter: /\/loaded-parts\.ts$/ }, () => ({
            contents: loadedParts,
            loader: 'ts',
            resolveDir: '.',
          }))
        },
      },
    ],
  })
  const aliases: [own: string, name: string][] = []
  const used = new Set<string>()
  const imported = outputFiles[0]!.text
    .replace(/^import \{([^}]*)\} from .*$/gm, (_, names: string) => {
      for (const [name, own] of names.split(',').map(each => each.trim().split(' as '))) {
        if (!sharedNames.includes(name!))
          throw new Error(`${expression}: the runtime does not share ${name}`)
        used.add(name!)
        if (own) aliases.push([own, name!])
        if (own && new RegExp(`\\b(var|let|const|function) ${name}\\b`).test(outputFiles[0]!.text))
          throw new Error(`${expression} has a ${name} of its own, beside the runtime's`)
      }
      return ''
    })
    .trim()
    .replace(/globalThis\.part = ([^;]+);?$/, 'return $1')
  // A second file of the part imports the function under an alias.
  const text = aliases.reduce(
    (text, [own, name]) => text.replaceAll(new RegExp(`\\b${own}\\b`, 'g'), name),
    imported,
  )
  const { code = '' } = await minify(`__part((()=>{${text}})())`, { ...squeeze, nameCache })
  const [, before, part] = /^(.*?)__part\((.*)\);?$/s.exec(code) ?? []
  if (!part) throw new Error(`${expression} is not one expression`)
  return {
    code: alike(before ? `(()=>{${before}return ${part}})()` : part),
    uses: [...used].map(name => nameCache.vars!.props[`$${name}`]!),
  }
}
