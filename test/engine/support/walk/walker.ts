import { type Call, callPath } from '../../../../domain/api/call.ts'
import {
  type CallName,
  contract,
  type FileCallName,
  type Input,
} from '../../../../domain/api/contract.ts'
import { googleStandIn } from '../google-stand-in.ts'
import { startWithShop, withAllChanges } from '../with-shop.ts'

/** A merchant on the real demo shop. `walked` has the names of all calls that were made. */
export async function startWalk(t: { teardown: (end: () => Promise<void>) => void }) {
  const google = await googleStandIn()
  const started = await startWithShop(
    {},
    { ...google.env, GTM_ID: 'GTM-AB12CD', SEGMENT_WRITE_KEY: 'key123', CHROMIUM_PATH: 'off' },
    withAllChanges,
  )
  const { engine, token } = started
  t.teardown(async () => {
    await started.close()
    await google.close()
  })
  const walked = new Set<CallName>()
  const call: typeof started.call = (name, input, own) => {
    walked.add(name)
    return started.call(name, input, own)
  }
  async function file<N extends FileCallName>(
    name: N,
    input: Input<N>,
  ): Promise<{ type: string; body: Buffer; status: number }> {
    walked.add(name)
    const { method, path }: Call = contract[name],
      { params = {}, query } = input as {
        params?: Record<string, string>
        query?: Record<string, string>
      }
    const response = await engine.app.inject({
      method,
      url: callPath(path, 'demo', params),
      ...(query && { query }),
      headers: { authorization: `Bearer ${token}` },
    })
    return {
      type: String(response.headers['content-type']),
      body: response.rawPayload,
      status: response.statusCode,
    }
  }
  const { id: storeId } = await call('storeInfo', {})
  return { ...started, google, walked, call, file, storeId }
}
export type Walk = Awaited<ReturnType<typeof startWalk>>
