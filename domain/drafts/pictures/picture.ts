import * as Type from 'typebox'

/**
 * Formats of files that may be uploaded, by their names in image decoders. SVG is not allowed,
 * because it can contain scripts.
 */
export const pictureFormats = ['png', 'jpeg', 'webp', 'avif'] as const
export type PictureFormat = (typeof pictureFormats)[number]
/** The formats as the `accept` attribute of a file field. */
export const pictureTypes = 'image/png,image/jpeg,image/webp,image/avif'

export const pictureLimits = {
  /** The largest file that may be uploaded. */
  bytes: 5 * 1024 * 1024,
  /** The most pixels a decoded picture may have: a small file may hold a huge picture. */
  pixels: 40_000_000,
  /** Longest side of a published picture, in pixels. Larger pictures are scaled down. */
  side: 2560,
  /** The quota of a store for all its drafts and tests: number of pictures, and their bytes. */
  count: 100,
  total: 50 * 1024 * 1024,
} as const
const megabytes = (bytes: number): string => `${Math.round(bytes / 1024 / 1024)} MB`

/** Problems with an uploaded file, in words for the merchant. */
export const pictureWords = {
  none: 'Choose a picture to upload.',
  encoding: 'The file was not sent in base64.',
  format: 'This file is not a PNG, JPEG, WebP or AVIF picture.',
  damaged: 'This picture is damaged and cannot be read. Save it again and try once more.',
  large: `This file is larger than ${megabytes(pictureLimits.bytes)}. Make it smaller and try again.`,
  pixels: `This picture has more than ${pictureLimits.pixels / 1_000_000} million pixels. Make it smaller and try again.`,
  count: `Your store has ${pictureLimits.count} uploaded pictures, the most it can have. Delete drafts or ended tests with pictures that you no longer need.`,
  total: `This picture would take your store over ${megabytes(pictureLimits.total)} of uploaded pictures. Delete drafts or ended tests with pictures that you no longer need.`,
} as const

const starts: [format: PictureFormat, at: number, bytes: string][] = [
  ['png', 0, '\x89PNG\r\n\x1a\n'],
  ['jpeg', 0, '\xff\xd8\xff'],
  ['webp', 8, 'WEBP'],
  ['avif', 4, 'ftypavif'],
]
/**
 * The format of a file by its first bytes; its name is ignored. Null when the format may not be
 * uploaded.
 */
export function pictureFormat(bytes: Uint8Array): PictureFormat | null {
  const starting = ([, at, text]: (typeof starts)[number]): boolean =>
    [...text].every((character, i) => bytes[at + i] === character.charCodeAt(0))
  return starts.find(starting)?.[0] ?? null
}

/** A picture published on the shop's own asset host. */
export const Picture = Type.Object({
  address: Type.String(),
  width: Type.Integer(),
  height: Type.Integer(),
  /** Size of the published file. */
  bytes: Type.Integer(),
})
export type Picture = Type.Static<typeof Picture>

const maxLength = 2 * pictureLimits.bytes - 100
/**
 * A file in JSON. The schema allows more than the limit, so that a file that is too large gets its
 * own message.
 */
export const PictureInput = Type.Object(
  {
    file: Type.String({
      minLength: 1,
      maxLength,
      description: 'In base64.',
    }),
  },
  { additionalProperties: false },
)
