import type { Readable } from 'node:stream'
import { HttpProblem } from '../../domain/problem.ts'

export type BodyLimits = {
  /** Milliseconds that a body may take to arrive. */
  time: number
  /** The most bytes of all incomplete bodies together. */
  held: number
}
/**
 * Reads a whole body of at most `limit` bytes. Rejects with HttpProblem 413 (too large), 503 (too
 * slow) or 400 (broken off).
 */
export type BodyReader = (from: Readable, limit: number) => Promise<Buffer>

/**
 * Reads each body completely before anything else happens, so that a slow client takes up only
 * memory, and only for its own bytes. When all incomplete bodies together are too large, rejects
 * the oldest, so that new ones still arrive.
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
      // Discard what still arrives, and ignore how it ends.
      const giveUp = (problem: HttpProblem): void =>
        end(() => {
          from.on('error', () => {}).resume()
          reject(problem)
        })
      const onData = (chunk: Buffer): void => {
        size += chunk.length
        bytes += chunk.length
        if (size > limit) return giveUp(tooLarge())
        // Use one buffer that doubles: a body that arrives byte by byte would otherwise be kept as
        // a million small buffers.
        if (size > body.length)
          body = Buffer.concat([body], Math.min(limit, Math.max(size, 2 * body.length)))
        chunk.copy(body, size - chunk.length)
        // The set lists the oldest body first. It may be this one.
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

export const tooLarge = () => new HttpProblem(413, 'This request is too large.')
/**
 * Not 408: after a 4xx the shop's script drops its events, because sending them again would not
 * help.
 */
const tooSlow = () => new HttpProblem(503, 'The request did not arrive in time. Send it again.')
