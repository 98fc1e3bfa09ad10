/** Where in a page an app embed stands. */
export type EmbedTarget = 'head' | 'body'
/** A file of an extension that pages load. `version` changes with the content. */
export type ExtensionAsset = { body: Buffer; type: string; version: string }
export type EmbedBlock = {
  /** The name of its Liquid file. */
  handle: string
  /** As its schema says; the theme editor shows it. */
  name: string
  target: EmbedTarget
  liquid: string
  /** Defaults of its settings. */
  settings: Record<string, unknown>
}
/** The app's theme app extension, as it was deployed to the platform. */
export type ThemeExtension = {
  handle: string
  uid: string
  blocks: readonly EmbedBlock[]
  assets: ReadonlyMap<string, ExtensionAsset>
}

type Schema = {
  name?: string
  target?: string
  settings?: { id?: string; default?: unknown }[]
}
const schemaPattern = /\{%-?\s*schema\s*-?%\}([\s\S]*?)\{%-?\s*endschema\s*-?%\}/

/** Reads a block's Liquid file. Throws when its schema is no JSON. */
export function embedBlock(handle: string, file: string): EmbedBlock {
  const [whole = '', json = '{}'] = schemaPattern.exec(file) ?? []
  const { name = handle, target = 'section', settings = [] } = JSON.parse(json) as Schema
  if (target !== 'head' && target !== 'body' && target !== 'compliance_head')
    throw new Error(`${handle}: only app embeds are drawn here, with the target head or body.`)
  return {
    handle,
    name,
    target: target === 'body' ? 'body' : 'head',
    liquid: file.replace(whole, ''),
    settings: Object.fromEntries(
      settings.flatMap(field => (field.id ? [[field.id, field.default]] : [])),
    ),
  }
}
