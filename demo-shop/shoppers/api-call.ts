import { request } from 'undici'
import { type Call, callPath } from '../../domain/api/call.ts'

/** Asks the engine's API one call of a contract, and answers its body. Throws what it was refused with. */
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
