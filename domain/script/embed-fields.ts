import type { PriceSwitch } from '../prices/function-rules.ts'
import { partsFor, runtimeName } from './needed-parts.ts'
import { publishedChange } from './published-change.ts'
import { type PublishedConfig, publishedTest, safeTests } from './published-config.ts'
import type { ScriptConfig } from './script-config.ts'
import type { ScriptPart } from './script-part.ts'
import { escapedSize, splitText } from '../split-text.ts'

/**
 * Some platforms take no script from us. They deliver the files of an extension of ours, which they
 * got before, and draw the extension into the shop's pages while its switch is on. What a shop's
 * tests are, and which of the files its pages need, is in fields that the app stores at the
 * platform, and that only the app can write. This file is the contract between the two: the
 * adapter writes the fields, the extension reads them.
 */
export const embedNamespace = 'twinshelf'
/** Keys of the fields, in the order in which their texts are joined. Removal deletes all. */
export const embedKeys = ['config', 'config_2', 'config_3', 'config_4'] as const
/** The most bytes of one field's value. Platforms take 128 KB. */
export const maxEmbedField = 120_000

/** `value`: JSON text. */
export type EmbedField = { key: (typeof embedKeys)[number]; value: string }
/**
 * What the first field holds. `v`: an extension that was deployed earlier leaves a newer form
 * alone. `runtime`, `parts`: the files to load. `text`: the beginning of the configuration; the
 * other fields hold only a `text`. The joined text is JSON, in which no `<` occurs, so that it can
 * be pasted into a page as it is.
 */
export type EmbedHead = {
  v: 1
  runtime: string
  parts: ScriptPart[]
  /** Only with price tests: how the shop's markets round (function-rules.ts). */
  markets?: PriceSwitch['markets']
  text: string
}
export type EmbedTail = { text: string }
export type EmbedFields =
  | { fields: EmbedField[]; problem?: undefined }
  | { problem: string; fields?: undefined }

/**
 * The fields that make a shop's pages show these tests. Fields whose keys are not among them must
 * be deleted. `markets`: how they round, where the platform's pages do not say it. `problem` says,
 * for the merchant, why the configuration is too large.
 */
export function embedFields(
  { tests: all, always = [], ...about }: ScriptConfig,
  { markets }: Partial<Pick<PriceSwitch, 'markets'>> = {},
): EmbedFields {
  const tests = safeTests(all)
  const config: PublishedConfig = {
    ...about,
    tests: tests.map(publishedTest),
    ...(always.length > 0 && { always: always.map(publishedChange) }),
  }
  const parts = [...partsFor({ ...about, tests, always })]
  const head: EmbedHead = {
    v: 1,
    runtime: runtimeName(about),
    parts,
    ...(markets && parts.includes('prices') && { markets }),
    text: '',
  }
  const text = JSON.stringify(config).replaceAll('<', '\\u003c')
  // Every piece leaves the room that the first field needs besides its text.
  const texts = splitText(text, maxEmbedField - JSON.stringify(head).length)
  if (texts.length > embedKeys.length) return { problem: tooLarge(escapedSize(text)) }
  return {
    fields: texts.map((piece, i) => ({
      key: embedKeys[i]!,
      value: JSON.stringify(i === 0 ? { ...head, text: piece } : { text: piece }),
    })),
  }
}

const tooLarge = (bytes: number): string =>
  `Your running tests need ${Math.ceil(bytes / 1000)} kB on each page of your shop, and the shop takes at most ${(embedKeys.length * maxEmbedField) / 1000} kB. End a test, test fewer products at once, or insert shorter texts.`

/** The configuration that these values of the fields hold, in the order of `embedKeys`. */
export const publishedIn = (values: readonly string[]): PublishedConfig =>
  JSON.parse(values.map(value => (JSON.parse(value) as EmbedTail).text).join('')) as PublishedConfig
