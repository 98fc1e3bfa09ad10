import { readFileSync } from 'node:fs'
import { basename, relative } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { scriptOptions } from './script-options.ts'

/** The script that loads the islands, what hydrates them, and where each island is named. */
const boot = 'islands/boot.ts',
  roots = 'islands/roots.ts',
  registry = 'islands/registry.ts'

export type BuiltIslands = {
  files: Map<string, Uint8Array>
  /** The file of the script that loads the islands. */
  boot: string
  /** The files that a page with an island needs, by the island's name. */
  needs: Record<string, string[]>
}

/**
 * Bundles the islands: React in one file, which changes only with React; one file for each island;
 * and files of code that several islands share. So a page loads only the code of its own islands,
 * and keeps React from the page before.
 */
export async function bundledIslands(): Promise<BuiltIslands> {
  const draft = await bundle([reactAs(null), schemasArePure])
  const react = await bundledReact(namesOfReact(draft.files))
  const { files, metafile } = await bundle([
    reactAs(react.file),
    together(draft.metafile),
    schemasArePure,
  ])
  files.set(react.file, react.content)
  const outputs = Object.entries(metafile.outputs)
  const fileOf = (entry: string): string => {
    const found = outputs.find(([, { entryPoint }]) => entryPoint === entry)
    if (!found) throw new Error(`The build has made no file of ${entry}.`)
    return basename(found[0])
  }
  /** A file and all that it imports before it runs. */
  const closure = (file: string, seen = new Set<string>()): Set<string> => {
    if (seen.has(file)) return seen
    seen.add(file)
    const output = outputs.find(([path]) => basename(path) === file)?.[1]
    for (const { path, kind } of output?.imports ?? [])
      if (kind === 'import-statement') closure(basename(path), seen)
    return seen
  }
  const common = [fileOf(boot), ...closure(fileOf(roots))]
  const needs = Object.fromEntries(
    islandFiles().map(([name, path]) => [
      name,
      [...new Set([...common, ...closure(fileOf(path))])],
    ]),
  )
  return { files, boot: fileOf(boot), needs }
}

/** The islands' names and source files, as the registry has them. */
const islandFiles = (): [name: string, path: string][] =>
  [
    ...readFileSync(registry, 'utf8').matchAll(
      /^ {2}'?([\w-]+)'?: async \(\) =>\s+\(await import\('\.\/([^']+)'\)\)/gm,
    ),
  ].map(([, name, path]) => [name!, `islands/${path}`])

async function bundle(
  plugins: Plugin[],
): Promise<{ files: Map<string, Uint8Array>; metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    ...scriptOptions,
    entryPoints: { islands: boot },
    plugins,
  })
  return {
    files: new Map(outputFiles.map(({ path, contents }) => [basename(path), contents])),
    metafile,
  }
}

/** Leaves React out: this file of its own is imported instead, or the packages by their names. */
const reactAs = (file: string | null): Plugin => ({
  name: 'react elsewhere',
  setup: ({ onResolve }) =>
    onResolve({ filter: /^react(-dom)?(\/.*)?$/ }, ({ path }) => ({
      path: file ? `./${file}` : path,
      external: true,
    })),
})

/** What the built scripts import from React, by module. */
function namesOfReact(files: Map<string, Uint8Array>): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const content of files.values())
    for (const [, names, module] of Buffer.from(content)
      .toString()
      .matchAll(/import([^"';]*?)from"(react[^"]*)"/g)) {
      const list = /^\{([^}]*)\}$/.exec(names!.trim())?.[1]
      if (!list) throw new Error(`Import single names from "${module}", not "${names}".`)
      const of = found.get(module!) ?? new Set()
      for (const name of list.split(',')) of.add(name.split(' as ')[0]!.trim())
      found.set(module!, of)
    }
  return found
}

async function bundledReact(
  names: Map<string, Set<string>>,
): Promise<{ file: string; content: Uint8Array }> {
  const { outputFiles } = await build({
    ...scriptOptions,
    splitting: false,
    entryNames: 'react-[hash]',
    stdin: {
      contents: [...names]
        .toSorted(([a], [b]) => a.localeCompare(b))
        .map(([module, of]) => `export { ${[...of].toSorted().join(', ')} } from '${module}'`)
        .join('\n'),
      resolveDir: 'islands',
    },
  })
  return { file: basename(outputFiles[0]!.path), content: outputFiles[0]!.contents }
}

/**
 * A file of shared code that is smaller than this is not worth a request of its own. Bytes before
 * compression.
 */
const smallest = 1600

/**
 * Puts small shared modules into one file. esbuild makes a file for each set of entries that share
 * something, so every entry that uses one of these modules imports them all.
 */
function together({ outputs }: Metafile): Plugin {
  const small = Object.entries(outputs).filter(
      ([, { entryPoint, bytes }]) => !entryPoint && bytes < smallest,
    ),
    modules = small
      .flatMap(([, { inputs }]) => Object.keys(inputs))
      .filter(path => /^(islands|domain)\//.test(path)),
    paths = new Set(small.map(([path]) => path))
  const users = new Set(
    Object.values(outputs)
      .filter(({ imports }) => imports.some(({ path }) => paths.has(path)))
      .map(({ entryPoint }) => entryPoint),
  )
  const all = modules.map(path => `\nimport ${JSON.stringify(`${process.cwd()}/${path}`)}`).join('')
  return {
    name: 'together',
    setup: ({ onLoad }) =>
      onLoad({ filter: /\/islands\/.*\.tsx?$/ }, ({ path }) =>
        users.has(relative('.', path))
          ? {
              contents: readFileSync(path, 'utf8') + all,
              loader: path.endsWith('x') ? 'tsx' : 'ts',
            }
          : undefined,
      ),
  }
}

/**
 * Drops the schemas of the domain that no island uses, and with them the validator's library.
 * Making a schema has no side effect, which esbuild cannot know.
 */
const schemasArePure: Plugin = {
  name: 'schemas are pure',
  setup: ({ onLoad, onResolve, resolve }) => {
    onLoad({ filter: /\/domain\/.*\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replace(
        /(?<!function )\b(Type\.\w+|Maybe)\(/g,
        '/* @__PURE__ */ $&',
      ),
      loader: 'ts',
    }))
    onResolve({ filter: /^typebox$/ }, async ({ path, pluginData, ...where }) =>
      pluginData === schemasArePure
        ? undefined
        : {
            ...(await resolve(path, { ...where, pluginData: schemasArePure })),
            sideEffects: false,
          },
    )
  },
}
