import type { Readable, Writable } from 'node:stream'

type Message = { id?: number; method?: string; params?: Record<string, unknown>; sessionId?: string; result?: Record<string, unknown>; error?: { message: string } }
export type DevtoolsEvent = { method: string; params: Record<string, unknown>; sessionId: string | undefined }
/** The browser's DevTools protocol over its two pipes: JSON messages, each closed by a NUL. */
export type Devtools = {
  send: (method: string, params?: Record<string, unknown>, sessionId?: string) => Promise<Record<string, unknown>>
  /** Answers how to stop listening. */
  listen: (listener: (event: DevtoolsEvent) => void) => () => void
  /** From here on every call is refused with this. */
  end: (error: Error) => void
}

export function openDevtools(input: Writable, output: Readable): Devtools {
  const waiting = new Map<number, { resolve: (result: Record<string, unknown>) => void; reject: (error: Error) => void }>()
  const listeners = new Set<(event: DevtoolsEvent) => void>()
  let lastId = 0, ended: Error | null = null
  let parts: Buffer[] = []

  const take = ({ id, method, params = {}, sessionId, result = {}, error }: Message): void => {
    if (id === undefined) {
      if (method) for (const listener of listeners) listener({ method, params, sessionId })
      return
    }
    const call = waiting.get(id)
    waiting.delete(id)
    if (error) call?.reject(new Error(error.message))
    else call?.resolve(result)
  }
  output.on('data', (chunk: Buffer) => {
    let from = 0
    for (let at = chunk.indexOf(0); at >= 0; at = chunk.indexOf(0, from)) {
      take(JSON.parse(Buffer.concat([...parts, chunk.subarray(from, at)]).toString()) as Message)
      parts = []
      from = at + 1
    }
    if (from < chunk.length) parts.push(chunk.subarray(from))
  })

  return {
    send: (method, params = {}, sessionId) => new Promise((resolve, reject) => {
      if (ended) return reject(ended)
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      input.write(`${JSON.stringify({ id, method, params, ...(sessionId && { sessionId }) })}\0`)
    }),
    listen: listener => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    end: error => {
      ended ??= error
      for (const { reject } of waiting.values()) reject(ended)
      waiting.clear()
    },
  }
}
