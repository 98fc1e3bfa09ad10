import { request, type Dispatcher } from 'undici'
import type { ScriptConfig } from '../../domain/script/script-config.ts'

/**
 * The configuration of the shop's published script: from the file that every shopper loads, or from
 * the home page where the extension of another platform draws it. With both, the one that has the
 * test. Throws when no script is published.
 */
export async function publishedConfig(
  shopOrigin: string,
  dispatcher: Dispatcher,
  test?: string,
): Promise<ScriptConfig> {
  const loaded = await loadedConfig(shopOrigin, dispatcher)
  if (loaded && (!test || loaded.tests.some(({ id }) => id === test))) return loaded
  const config = (await drawnConfig(shopOrigin, dispatcher)) ?? loaded
  if (config) return config
  throw new Error(
    'The shop has no Twinshelf script yet. Open the app in the shop’s admin once, then try again.',
  )
}

/** The configuration in the file of the script; null when the shop has no such file. */
async function loadedConfig(
  shopOrigin: string,
  dispatcher: Dispatcher,
): Promise<ScriptConfig | null> {
  const response = await request(`${shopOrigin}/assets/twinshelf.js`, { dispatcher })
  const script = await response.body.text()
  if (response.statusCode !== 200) return null
  for (const { index } of script.matchAll(/\{"?(?:shop|collect|preview|tests)"?:/g)) {
    const text = objectAt(script, index)
    // The keys have no quotes in the script.
    const json = text?.replace(/"(?:[^"\\]|\\.)*"|([a-z]\w*)(?=:)/gi, (all, key?: string) =>
      key ? `"${key}"` : all,
    )
    if (json?.includes('"shop":') && json.includes('"collect":') && json.includes('"tests":'))
      return JSON.parse(json) as ScriptConfig
  }
  throw new Error('The shop’s script carries no configuration.')
}

/** The configuration that the extension of our app draws into a page; null without it. */
async function drawnConfig(
  shopOrigin: string,
  dispatcher: Dispatcher,
): Promise<ScriptConfig | null> {
  const { body } = await request(`${shopOrigin}/`, { dispatcher })
  const [, json] =
    /<script [^>]*id="twinshelf-tests">([^]*?)<\/script>/.exec(await body.text()) ?? []
  return json === undefined ? null : (JSON.parse(json) as ScriptConfig)
}

/** Paths of the products that are on sale, from the shop's sitemap. */
export async function soldPaths(shopOrigin: string, dispatcher: Dispatcher): Promise<Set<string>> {
  const response = await request(`${shopOrigin}/sitemap.xml`, { dispatcher })
  const sitemap = await response.body.text()
  if (response.statusCode !== 200) throw new Error('The shop has no sitemap.')
  return new Set(
    [...sitemap.matchAll(/<loc>[^<]*?(\/products\/[a-z0-9-]+)<\/loc>/g)].map(match => match[1]!),
  )
}

/** The object that begins at `start`, up to the brace that closes it; null when none does. */
function objectAt(text: string, start: number): string | null {
  let depth = 0
  for (let i = start; i < text.length; i++) {
    const char = text[i]
    if (char === '"') for (i++; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i++
    if (char === '{') depth++
    if (char === '}' && --depth === 0) return text.slice(start, i + 1)
  }
  return null
}
