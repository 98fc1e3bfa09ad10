import { request } from 'undici'
import { type Call, callPath } from '../../domain/api/call.ts'

/**
 * Makes one call of a contract to the engine's API and returns the body of the answer. Throws an
 * error with status and text when the call is refused.
 */
export async function askApi(
  engineOrigin: string,
  name: string,
  call: Call,
  input: { params?: Record<string, string>; query?: object; body?: object },
  token: string | null,
): Promise<unknown> {
  const { params = {}, query = {}, body } = input
  const asked = new URLSearchParams(
    Object.entries(query).map(([key, value]) => [key, String(value)]),
  )
  const response = await request(
    `${engineOrigin}${callPath(call.path, 'demo', params)}${asked.size > 0 ? `?${asked}` : ''}`,
    {
      method: call.method,
      headers: {
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: body ? JSON.stringify(body) : null,
    },
  )
  const text = await response.body.text()
  if (response.statusCode !== 200)
    throw new Error(`${name} was answered ${response.statusCode}: ${text.slice(0, 300)}`)
  return JSON.parse(text)
}
