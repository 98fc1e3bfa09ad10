import multipart, { type MultipartFile } from '@fastify/multipart'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { paths } from '../../domain/paths.ts'
import { pictureLimits, pictureWords } from '../../domain/drafts/pictures/picture.ts'
import { HttpProblem } from '../../domain/problem.ts'
import { apiOf, storeOf } from '../session/visit.ts'
import { uploadPlaces } from './upload-slots.ts'

type WithId = { Params: { id: string } }
/** Milliseconds that a file may take to arrive: 5 MB at one megabit a second. */
const usualTime = 45_000

/**
 * Pictures for a draft's variant, sent by the editor as a form with one file. Answers JSON: the
 * picture, or what is wrong with it.
 */
export function draftUploads(app: FastifyInstance, { time = usualTime } = {}): void {
  const takePlace = uploadPlaces()
  app.register(async uploads => {
    await uploads.register(multipart, {
      limits: { fileSize: pictureLimits.bytes, files: 1, fields: 0, parts: 1, headerPairs: 20 },
    })
    uploads.post<WithId>(
      paths.draftUploads(':id'),
      { bodyLimit: pictureLimits.bytes + 64 * 1024 },
      async (request, reply) => {
        let giveBack: (() => void) | undefined
        try {
          // A request that has broken off already never reports its end, so its slot would stay
          // taken.
          if (request.raw.destroyed) throw new HttpProblem(400, 'The upload was interrupted.')
          // Takes the slot before any byte of the file is read.
          giveBack = takePlace(storeOf(request).id)
          const file = await fileOf(request, time)
          return await apiOf(request).addPicture({
            params: { id: request.params.id },
            body: { file: file.toString('base64') },
          })
        } catch (error) {
          if (!(error instanceof HttpProblem) || error.status === 401) throw error
          return reply.code(error.status).send({ message: error.message, fields: error.fields })
        } finally {
          giveBack?.()
        }
      },
    )
  })
}

const tooSlow = 'The upload took too long. Try again, or choose a smaller picture.'
/** The framework's error codes for a body over the limit. */
const tooLarge = ['FST_REQ_FILE_TOO_LARGE', 'FST_ERR_CTP_BODY_TOO_LARGE']

async function fileOf(request: FastifyRequest, time: number): Promise<Buffer> {
  const late = Promise.withResolvers<never>()
  const inTime = <T>(coming: Promise<T>): Promise<T> => Promise.race([coming, late.promise])
  let part: MultipartFile | undefined
  const timer = setTimeout(() => {
    late.reject(new HttpProblem(408, tooSlow))
    // What still comes is read and dropped.
    request.raw.unpipe().resume()
    part?.file.destroy()
  }, time)
  try {
    part = request.isMultipart() ? await inTime(request.file()) : undefined
    const bytes = part && (await inTime(part.toBuffer()))
    if (!bytes || bytes.length === 0) throw wrong('none')
    return bytes
  } catch (error) {
    if (error instanceof HttpProblem) throw error
    throw wrong(tooLarge.includes((error as { code?: string }).code ?? '') ? 'large' : 'none')
  } finally {
    clearTimeout(timer)
  }
}

const wrong = (what: keyof typeof pictureWords): HttpProblem =>
  new HttpProblem(400, pictureWords[what], [{ field: 'file', message: pictureWords[what] }])
