import { setTimeout } from 'node:timers/promises'
import { WebSocket } from 'undici'
import { type CallName, contract, type Input, type Output } from '../../../domain/api/contract.ts'
import type { LiveMessage } from '../../../domain/jobs/job.ts'
import { pathOf } from '../../../server/upstream/upstream-calls.ts'
import { idTokenOf } from '../../engine/support/with-shop.ts'

/** How long a request is repeated while processes die. Milliseconds. */
const patientFor = 60_000
/** Statuses of a load balancer without a server, or of a process that stops or waits. */
const passing = [0, 429, 502, 503, 504]

export type Answer = { status: number; headers: Headers; text: string }

async function once(url: string, init: RequestInit): Promise<Answer> {
  return fetch(url, { redirect: 'manual', ...init }).then(
    async answer => ({
      status: answer.status,
      headers: answer.headers,
      text: await answer.text(),
    }),
    () => ({ status: 0, headers: new Headers(), text: '' }),
  )
}

/** Asks until a process answers. `refused` counts the answers in passing. */
async function ask(url: string, init: RequestInit, refused: Map<number, number>): Promise<Answer> {
  for (const end = Date.now() + patientFor; ; await setTimeout(100)) {
    const answer = await once(url, init)
    if (!passing.includes(answer.status)) return answer
    refused.set(answer.status, (refused.get(answer.status) ?? 0) + 1)
    if (Date.now() > end) throw new Error(`${url} still answers ${answer.status}: ${answer.text}`)
  }
}

/** A merchant's browser at the load balancer of the apps. */
export function browserAt(app: string) {
  const jar = new Map<string, string>(),
    refused = new Map<number, number>()
  const cookies = () => [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
  const send = async (path: string, init: RequestInit = {}, at = app): Promise<Answer> => {
    const answer = await ask(
      at + path,
      { ...init, headers: { cookie: cookies(), ...(init.headers as object) } },
      refused,
    )
    for (const line of answer.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      jar.set(name!, value!)
    }
    return answer
  }
  return {
    refused,
    cookies,
    signIn: async () => send(`/?id_token=${await idTokenOf()}`),
    get: (path: string, at?: string) => send(path, {}, at),
    post: (path: string, body: URLSearchParams | FormData) =>
      send(path, { method: 'POST', body, headers: { origin: app } }),
    /** Forgets the access token: the next request must renew the session. */
    forgetAccess: () => {
      for (const name of jar.keys()) if (!name.endsWith('_refresh')) jar.delete(name)
    },
    /** Listens as an open page does, and connects again whenever the connection ends. */
    listen: () => {
      const heard: LiveMessage[] = []
      let isOver = false,
        connections = 0,
        socket: WebSocket | null = null
      const connect = () => {
        if (isOver) return
        socket = new WebSocket(`${app.replace('http', 'ws')}/live`, {
          headers: { origin: app, cookie: cookies() },
        })
        socket.addEventListener('open', () => connections++)
        socket.addEventListener('message', ({ data }) =>
          heard.push(JSON.parse(String(data)) as LiveMessage),
        )
        socket.addEventListener('error', () => {})
        socket.addEventListener('close', () => void setTimeout(200).then(connect))
      }
      connect()
      return {
        heard,
        connections: () => connections,
        close: () => {
          isOver = true
          socket?.close()
        },
      }
    },
  }
}

/** Calls the API as a merchant, at the load balancer of the engines. */
export async function clientOf(engine: string, refused = new Map<number, number>()) {
  const send = async <N extends CallName>(name: N, input: Input<N>, token?: string) => {
    const { method } = contract[name],
      { body } = input as { body?: unknown }
    const answer = await ask(
      engine + pathOf(name, input, token ?? ''),
      {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
        headers: {
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
        },
      },
      refused,
    )
    if (answer.status >= 300) throw new Error(`${name} answers ${answer.status}: ${answer.text}`)
    return (answer.text === '' ? null : JSON.parse(answer.text)) as Output<N>
  }
  const { token, refreshToken } = await send('auth', { body: { idToken: await idTokenOf() } })
  return {
    call: <N extends CallName>(name: N, input: Input<N>) => send(name, input, token),
    token,
    refreshToken,
    /** Renews a session, as two apps do at the same time. */
    renew: (of: string) => send('auth', { body: { refreshToken: of } }),
  }
}
