import sharp, { type Sharp } from 'sharp'
import {
  type PictureFormat,
  pictureFormat,
  pictureLimits,
  pictureWords,
} from '../../../domain/drafts/pictures/picture.ts'
import { HttpProblem } from '../../../domain/problem.ts'

export type PictureFile = {
  type: string
  extension: string
  width: number
  height: number
  body: Buffer
}

sharp.cache(false)
sharp.concurrency(1)
/** Timeout for encoding one picture, in seconds. */
const timeout = 20

/** AVIF takes minutes to encode, and all browsers that we serve show WebP. */
const encoders: Record<
  PictureFormat,
  { as: 'png' | 'jpeg' | 'webp'; encode: (picture: Sharp) => Sharp }
> = {
  png: { as: 'png', encode: picture => picture.png({ compressionLevel: 9 }) },
  jpeg: { as: 'jpeg', encode: picture => picture.jpeg({ quality: 84 }) },
  webp: { as: 'webp', encode: picture => picture.webp({ quality: 84 }) },
  avif: { as: 'webp', encode: picture => picture.webp({ quality: 84 }) },
}

let last: Promise<unknown> = Promise.resolve()
/**
 * Reads a picture file and encodes the picture again: rotated as its camera said, in the web's
 * colours, without metadata or anything else that was in the file. Encodes one at a time, because a
 * decoded picture takes much memory.
 * Throws HttpProblem 400 for a file that we do not accept.
 */
export function readPicture(bytes: Buffer): Promise<PictureFile> {
  const own = last.then(() => encoded(bytes))
  last = own.catch(() => {})
  return own
}

async function encoded(bytes: Buffer): Promise<PictureFile> {
  if (bytes.length > pictureLimits.bytes) throw wrongPicture('large')
  const format = pictureFormat(bytes)
  if (!format) throw wrongPicture('format')
  // The size that the file states, before we decode anything.
  const { width, height } = await sharp(bytes, { limitInputPixels: false })
    .metadata()
    .catch(damaged)
  if (width * height > pictureLimits.pixels) throw wrongPicture('pixels')
  const { as, encode } = encoders[format]
  const made = await write(bytes, encode)
  // A photograph in PNG may become larger than the original. Then we take WebP.
  const isLarge = made.data.length > pictureLimits.bytes
  const { data, info } = isLarge ? await write(bytes, encoders.webp.encode) : made
  const type = isLarge ? 'webp' : as
  return {
    type: `image/${type}`,
    extension: type === 'jpeg' ? 'jpg' : type,
    width: info.width,
    height: info.height,
    body: data,
  }
}

const write = (bytes: Buffer, encode: (picture: Sharp) => Sharp) => {
  const { side, pixels } = pictureLimits
  const picture = sharp(bytes, { limitInputPixels: pixels, failOn: 'error' })
    .timeout({ seconds: timeout })
    .autoOrient()
    .resize({ width: side, height: side, fit: 'inside', withoutEnlargement: true })
  return encode(picture).toBuffer({ resolveWithObject: true }).catch(damaged)
}

const damaged = (): never => {
  throw wrongPicture('damaged')
}

export const wrongPicture = (what: keyof typeof pictureWords): HttpProblem =>
  new HttpProblem(400, pictureWords[what], [{ field: 'file', message: pictureWords[what] }])
