import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import type { Updateable } from 'kysely'
import type { StoresTable } from '../../engine/db/schema.ts'
import type { CallName, Input, Output } from '../../domain/api/contract.ts'
import { withTimeout } from './product.ts'
import type { Order } from './stage-process.ts'

/** The product with access to its database, so that a test can put a store into any state. */
export type Stage = {
  app: string
  shop: string
  storeId: string
  /** Puts the store into a state. */
  store: (state: Updateable<StoresTable>) => Promise<void>
  /** Adds running tests with figures (bench/listed-tests.ts). */
  listed: (count: number) => Promise<void>
  /** Calls the API as the merchant. */
  call: <N extends CallName>(name: N, input: Input<N>) => Promise<Output<N>>
  /** An address that signs a browser in as the merchant. */
  address: () => Promise<string>
  stop: () => Promise<void>
}

/** `apps`: the number of processes that serve the app. Each request goes to the next process. */
export async function startStage({ apps = 1 }: { apps?: number } = {}): Promise<Stage> {
  const child = fork('test/e2e/stage-process.ts', [String(apps)], {
    execArgv: ['--liftoff-only', '--import=./jsx.js', '--disable-warning=ExperimentalWarning'],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const { origin, shopOrigin, storeId } = (await withTimeout(() => answerOf(child, 0))) as {
    origin: string
    shopOrigin: string
    storeId: string
  }
  let orders = 0
  const obey = <T>(order: Omit<Order, 'id'>): Promise<T> => {
    const id = ++orders
    const answer = answerOf(child, id)
    child.send({ id, ...order })
    return answer as Promise<T>
  }
  return {
    app: origin,
    shop: shopOrigin,
    storeId,
    store: state => obey({ store: state }),
    listed: count => obey({ listed: count }),
    call: (name, input) => obey({ call: name, input }),
    address: () => obey({ address: true }),
    stop: async () => {
      if (!child.connected) return
      child.disconnect()
      await once(child, 'exit')
    },
  }
}

/** Launches a URL redirect test, and returns its id. */
export async function launchRedirect({ call }: Stage): Promise<string> {
  const { id } = await call('createDraft', {
    body: {
      kind: 'UrlRedirect',
      title: 'Shorter gift guide',
      controlUrl: '/pages/gift-guide',
      redirectUrl: '/pages/gift-guide-2026',
    },
  })
  return (await call('launchDraft', { params: { id } })).testId
}

function answerOf(child: ChildProcess, id: number): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const fail = (code: number | null) => reject(new Error(`The stage ended with ${code}.`))
    const listen = (message: { id: number; answer?: unknown; error?: string }) => {
      if (message.id !== id) return
      child.off('message', listen).off('exit', fail)
      if (message.error === undefined) resolve(message.answer)
      else reject(new Error(message.error))
    }
    child.on('message', listen).once('exit', fail)
  })
}
