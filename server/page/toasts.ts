import type {} from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Toast, toastLength, toastsShown, toastTones } from '../../domain/toast.ts'
import { layoutOf } from './layout.ts'

/**
 * Seconds that toasts wait for the next page. They wait in a cookie, so that any machine can show
 * them after a redirect.
 */
const life = 120
/**
 * The most characters of packed toasts. A browser accepts 4096 bytes for name, value and
 * attributes.
 */
const largest = 3600

/**
 * Shows a short message on the next page in this browser: what was done, or could not be done. Call
 * it before the reply is sent.
 */
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

/** The toasts that wait for this browser. Clears them, so that each is shown once. */
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

/**
 * Over https the pages are in a third-party iframe, so this cookie has the attributes of the
 * session's cookie (`cookies.ts`).
 */
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

/**
 * The toasts in a cookie. Accepts only what `packed` can have written, because a browser can send
 * any cookie.
 */
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
