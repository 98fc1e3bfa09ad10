import type {} from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Toast, toastLength, toastsShown, toastTones } from '../../domain/toast.ts'
import { layoutOf } from './layout.ts'

/** They wait for the next page in a cookie, so that they outlive a redirect on whatever machine answers it. Seconds. */
const life = 120
/** Of 4096 bytes that a browser takes for name, value and attributes. */
const largest = 3600

/** Says something short on the next page this browser is shown: what was just done, or could not be. Call it before answering. */
export function toast(
  request: FastifyRequest,
  reply: FastifyReply,
  text: string,
  tone: Toast['tone'] = 'good',
): void {
  let toasts = [...waitingOf(request), { text: text.slice(0, toastLength), tone }].slice(
    -toastsShown,
  )
  while (toasts.length > 1 && packed(toasts).length > largest) toasts = toasts.slice(1)
  request.toasts = toasts
  const { name, options } = cookieFor(request)
  reply.setCookie(name, packed(toasts), { ...options, maxAge: life })
}

/** What waits to be said to this browser. It is said now, and not again. */
export function takeToasts(request: FastifyRequest, reply: FastifyReply): Toast[] {
  const toasts = waitingOf(request)
  if (toasts.length === 0) return toasts
  request.toasts = []
  const { name, options } = cookieFor(request)
  reply.setCookie(name, '', { ...options, maxAge: 0 })
  return toasts
}

const waitingOf = (request: FastifyRequest): Toast[] =>
  (request.toasts ??= unpacked(request.cookies?.[cookieFor(request).name]))

/** Over https the pages live in a third-party iframe, as the session does (`cookies.ts`). */
function cookieFor(request: FastifyRequest) {
  const isSecure = layoutOf(request).origins.app.startsWith('https:')
  const options = {
    path: '/',
    httpOnly: true,
    ...(isSecure
      ? ({ secure: true, sameSite: 'none', partitioned: true } as const)
      : ({ sameSite: 'lax' } as const)),
  }
  return { name: isSecure ? '__Host-toasts' : 'toasts', options }
}

const packed = (toasts: Toast[]): string =>
  Buffer.from(
    JSON.stringify(toasts.map(({ text, tone }) => [toastTones.indexOf(tone), text])),
  ).toString('base64url')

/** Only what `packed` could have written: a browser can send any cookie. */
function unpacked(value: string | undefined): Toast[] {
  if (!value || value.length > 4096) return []
  try {
    const list: unknown = JSON.parse(Buffer.from(value, 'base64url').toString())
    if (!Array.isArray(list)) return []
    return list.slice(0, toastsShown).flatMap((entry: unknown) => {
      const [at, text] = Array.isArray(entry) ? (entry as unknown[]) : []
      const tone = toastTones[at as number]
      return tone && typeof text === 'string' && text
        ? [{ text: text.slice(0, toastLength), tone }]
        : []
    })
  } catch {
    return []
  }
}
