import { setTimeout as wait } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

/**
 * What goes wrong: a status; `throttled`, as the bucket says it; `slow`, an answer after `seconds`;
 * `lost`, done and not answered; `cut`, done and half answered; `nonsense`, an answer that is not
 * JSON.
 */
export const faultKinds = [
  '401',
  '402',
  '403',
  '404',
  '423',
  '429',
  '500',
  '503',
  'throttled',
  'slow',
  'lost',
  'cut',
  'nonsense',
] as const
export type FaultKind = (typeof faultKinds)[number]
export type Fault = {
  kind: FaultKind
  /** How many requests it still concerns; null: all. */
  times: number | null
  /** Requests before the first that it concerns. */
  after?: number
  on: 'api' | 'token'
  /** Only calls whose document holds this text, such as the name of a field. */
  holding?: string
  /** For `slow`. */
  seconds?: number
}
/** Faults of the admin API and the token endpoint, which the back office and tests switch on. */
export type Faults = {
  current: () => readonly Fault[]
  set: (faults: readonly Fault[]) => void
  /** The fault of a request, which counts as used then. */
  next: (on: Fault['on'], body: string) => Fault | null
}

export function openFaults(): Faults {
  let all: Fault[] = []
  return {
    current: () => all,
    set: faults => {
      all = faults.map(fault => ({ ...fault }))
    },
    next: (on, body) => {
      for (const fault of all) {
        if (fault.on !== on || fault.times === 0) continue
        if (fault.holding !== undefined && !body.includes(fault.holding)) continue
        if (fault.after !== undefined && fault.after > 0) {
          fault.after--
          return null
        }
        if (fault.times !== null) fault.times--
        return { ...fault }
      }
      return null
    },
  }
}

const bodies: Record<string, unknown> = {
  '401': '[API] Invalid API key or access token (unrecognized login or wrong password)',
  '402': 'This shop’s plan does not have access to this feature',
  '403': 'This action requires merchant approval for this scope.',
  '404': 'Not Found',
  '423': 'This shop is unavailable',
  '429': 'Exceeded the limit of calls. Reduce request rates to resume uninterrupted service.',
  '500': 'Internal Server Error',
  '503': 'Service Unavailable',
}
export const unauthorized = bodies['401']

/** Answers with a status that is a fault; null for another kind. */
export function statusFault({ kind }: Fault, reply: FastifyReply): FastifyReply | null {
  const errors = bodies[kind]
  if (errors === undefined) return null
  if (kind === '429') reply.header('retry-after', '2.0')
  return reply.code(Number(kind)).send({ errors })
}

/** Sends an answer as the fault has it. */
export async function faultyAnswer(
  { kind, seconds = 10 }: Fault,
  reply: FastifyReply,
  answer: object,
): Promise<FastifyReply> {
  const text = JSON.stringify(answer)
  if (kind === 'slow') {
    const gone = new AbortController()
    reply.raw.once('close', () => gone.abort())
    await wait(seconds * 1_000, undefined, { ref: false, signal: gone.signal }).catch(() => {})
    return reply.send(answer)
  }
  if (kind === 'nonsense')
    return reply.type('application/json; charset=utf-8').send('<!DOCTYPE html><p>One moment')
  reply.hijack()
  if (kind === 'cut') {
    reply.raw.writeHead(200, { 'content-type': 'application/json', 'content-length': text.length })
    await new Promise<void>(done => reply.raw.write(text.slice(0, text.length / 2), () => done()))
  }
  reply.raw.destroy()
  return reply
}
