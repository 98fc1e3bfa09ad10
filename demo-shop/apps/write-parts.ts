import type { FastifyReply } from 'fastify'
import { HttpProblem } from '../../domain/problem.ts'
import type { ShopCapabilities } from '../admin/capabilities.ts'
import type { WriteFaults } from '../admin/write-faults.ts'

/**
 * How the app's writes of several things are done: wholly or not at all, or one by one where the
 * shop has no whole writes (capabilities.wholeWrites). Tests set `refuse`, which says why a thing
 * is refused; null lets it pass.
 */
export type WriteParts = {
  refuse: ((item: string) => string | null) | null
  /** `itemOf` names a thing as the app does. */
  write: <T>(
    reply: FastifyReply,
    things: readonly T[],
    itemOf: (thing: T) => string,
    write: (things: T[]) => unknown,
  ) => Promise<FastifyReply | undefined>
}

export function writeParts(capabilities: ShopCapabilities, faults: WriteFaults): WriteParts {
  const parts: WriteParts = {
    refuse: null,
    write: async (reply, things, itemOf, write) => {
      const requireAllowed = (item: string) => {
        const message = parts.refuse?.(item)
        if (message) throw new HttpProblem(422, message, [{ field: item, message }])
      }
      const passing = faults.passing(things.length)
      if (capabilities.current().wholeWrites || (things.length < 2 && passing > 0)) {
        for (const thing of things) requireAllowed(itemOf(thing))
        await write([...things])
        return
      }
      const done: string[] = [],
        failed: { item: string; message: string }[] = []
      for (const [at, thing] of things.entries()) {
        const item = itemOf(thing)
        try {
          if (at >= passing) throw new HttpProblem(422, 'The shop refused this part of the write.')
          requireAllowed(item)
          await write([thing])
          done.push(item)
        } catch (error) {
          if (!(error instanceof HttpProblem)) throw error
          failed.push({ item, message: error.message })
        }
      }
      if (failed.length === 0) return
      return reply.code(422).send({ message: 'A part of this was not done.', done, failed })
    },
  }
  return parts
}
