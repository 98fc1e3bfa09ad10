import type { Readable } from 'node:stream'
import { HttpProblem } from '../../domain/problem.ts'

export type BodyLimits = {
  /** Milliseconds from its first to its last byte. */
  time: number
  /** Bytes of all bodies together that have come only in part. */
  held: number
}
/** A body of at most `limit` bytes, whole. Rejects with HttpProblem 413 or 503, or as the stream fails. */
export type BodyReader = (from: Readable, limit: number) => Promise<Buffer>

/**
 * Takes bodies in before anything is done with them: a client that stops half way holds nothing but its own bytes. When
 * all of those are too many, the body that has been on its way the longest is given up, so that new ones still come in.
 */
export function bodyReader({ time, held }: BodyLimits): BodyReader {
  const underWay = new Set<(problem: HttpProblem) => void>()
  let bytes = 0

  return (from, limit) =>
    new Promise((resolve, reject) => {
      let body = Buffer.alloc(0),
        size = 0
      const end = (settle: () => void): void => {
        if (!underWay.delete(giveUp)) return
        clearTimeout(timer)
        bytes -= size
        from.off('data', onData).off('end', onEnd).off('error', onBreak).off('close', onBreak)
        settle()
      }
      // What still comes is let go by, and how it ends concerns nobody.
      const giveUp = (problem: HttpProblem): void =>
        end(() => {
          from.on('error', () => {}).resume()
          reject(problem)
        })
      const onData = (chunk: Buffer): void => {
        size += chunk.length
        bytes += chunk.length
        if (size > limit) return giveUp(tooLarge())
        // One buffer that doubles: a body that comes byte by byte would be kept as a million small ones.
        if (size > body.length)
          body = Buffer.concat([body], Math.min(limit, Math.max(size, 2 * body.length)))
        chunk.copy(body, size - chunk.length)
        // The oldest stands first; this one may be it.
        for (const giveUpOldest of underWay) {
          if (bytes <= held) break
          giveUpOldest(tooSlow())
        }
      }
      const onEnd = (): void => end(() => resolve(body.subarray(0, size)))
      const onBreak = (): void => giveUp(new HttpProblem(400, 'The request broke off.'))
      const timer = setTimeout(() => giveUp(tooSlow()), time)
      timer.unref()
      underWay.add(giveUp)
      from.on('data', onData).on('end', onEnd).on('error', onBreak).on('close', onBreak)
    })
}

export const tooLarge = () => new HttpProblem(413, 'This is larger than can be taken in.')
/** Not 408: the shop's script takes whatever is the request's own fault for settled, and would forget its events. */
const tooSlow = () => new HttpProblem(503, 'The request did not arrive in time. Send it again.')
