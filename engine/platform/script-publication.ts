import type { ScriptConfig } from '../../domain/script/script-config.ts'

/** What a published script is made of, for platforms that do not take it as one file. */
export type ScriptPublication = {
  config: ScriptConfig
  /** The beginning of the script's hash. */
  etag: string
  isInline?: boolean
  part?: Buffer
}
/** `url`: what `publishScript` returned. */
export type PublishedScript = { url: string; etag: string | null }
