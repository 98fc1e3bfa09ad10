import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { embedBlock, type ExtensionAsset, type ThemeExtension } from './embed/theme-extension.ts'
import { functionTargets } from './functions/function-schema.ts'
import type { AppFunction } from './functions/run-function.ts'

/** Kinds of consent without which the platform does not load a pixel. */
export const consents = ['analytics', 'marketing', 'preferences'] as const
export type AppPixelCode = { source: string; needs: readonly (typeof consents)[number][] }
/** What the app has deployed to the platform beside its web pages. */
export type Deployed = {
  theme: ThemeExtension | null
  functions: readonly AppFunction[]
  pixel: AppPixelCode | null
}

export const nothingDeployed: Deployed = { theme: null, functions: [], pixel: null }
/** Where the build puts it. */
export const deployedFolder = new URL('../../public/built/shopify/extensions/', import.meta.url)

const types: Record<string, string> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json',
  svg: 'image/svg+xml',
}
/** The text of a key in an extension's configuration, which has one of each that is read here. */
function valueOf(toml: string, key: string): string {
  const line = toml.split('\n').find(each => each.split('=')[0]!.trim() === key) ?? ''
  return line
    .slice(line.indexOf('=') + 1)
    .trim()
    .replace(/^"(.*)"$/, '$1')
}
/** Like those that the platform gives, but the same for each clone. */
const uidOf = (handle: string): string =>
  createHash('sha256')
    .update(handle)
    .digest('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')

/**
 * Reads what was built for the platform: a folder for each extension, and the code of functions and
 * pixels beside it as <handle>.js. Nothing where nothing was built. Throws for a file that the
 * platform would not take.
 */
export function readDeployed(folder: URL = deployedFolder): Deployed {
  if (!existsSync(folder)) return nothingDeployed
  const read = (name: string): string => readFileSync(new URL(name, folder), 'utf8')
  const list = (name: string): string[] =>
    existsSync(new URL(name, folder)) ? readdirSync(new URL(name, folder)) : []
  const deployed: { -readonly [K in keyof Deployed]: Deployed[K] } = { ...nothingDeployed }
  for (const name of list('.').filter(each => list(`${each}/`).length > 0)) {
    const toml = read(`${name}/shopify.extension.toml`)
    const handle = valueOf(toml, 'handle'),
      type = valueOf(toml, 'type')
    if (type === 'theme')
      deployed.theme = {
        handle,
        uid: uidOf(handle),
        blocks: list(`${name}/blocks/`).map(file =>
          embedBlock(file.replace(/\.liquid$/, ''), read(`${name}/blocks/${file}`)),
        ),
        assets: new Map(
          list(`${name}/assets/`).map(file => [
            file,
            assetOf(file, readFileSync(new URL(`${name}/assets/${file}`, folder))),
          ]),
        ),
      }
    if (type === 'function') {
      const target = functionTargets.find(each => each === valueOf(toml, 'target'))
      if (!target) throw new Error(`${name}: functions of this target are not run here.`)
      const query = read(`${name}/${valueOf(toml, 'input_query')}`)
      deployed.functions = [
        ...deployed.functions,
        { handle, target, query, source: read(`${handle}.js`) },
      ]
    }
    if (type === 'web_pixel_extension')
      deployed.pixel = {
        source: read(`${handle}.js`),
        needs: consents.filter(consent => valueOf(toml, consent) === 'true'),
      }
  }
  return deployed
}

const assetOf = (file: string, body: Buffer): ExtensionAsset => ({
  body,
  type: types[file.split('.').at(-1)!] ?? 'application/octet-stream',
  version: createHash('sha256').update(body).digest('hex').slice(0, 10),
})
