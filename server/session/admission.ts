import type { FastifyRequest } from 'fastify'

/** Who a gate let in, remembered with the request. `of` throws on a route that does not stand behind that gate. */
export type Admission<V> = {
  admit: (request: FastifyRequest, visit: V) => void
  isAdmitted: (request: FastifyRequest) => boolean
  of: (request: FastifyRequest) => V
}

export function admission<V extends object>(gate: string): Admission<V> {
  const visits = new WeakMap<FastifyRequest, V>()
  return {
    admit: (request, visit) => {
      visits.set(request, visit)
    },
    isAdmitted: request => visits.has(request),
    of: request => {
      const visit = visits.get(request)
      if (!visit) throw new Error(`This route does not stand behind ${gate}.`)
      return visit
    },
  }
}
