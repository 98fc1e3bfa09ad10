import { setTimeout } from 'node:timers/promises'
import { HttpProblem } from '../domain/problem.ts'
import type { Devtools, DevtoolsEvent } from './chromium-pipe.ts'

export type PageAsk = {
  url: string
  width: number
  height: number
  isPhone: boolean
  /** Which requests may leave the browser; only reading ones do in any case. */
  mayFetch: (url: URL) => boolean
  /** Answers a request in the network's place; null for those that are not for us. */
  answer: (url: URL) => Promise<{ type: string; body: Buffer } | null>
}

/** Some pages never come to rest: after this long they are taken as they are. Milliseconds. */
const patience = 10_000
const jpegQuality = 70

/** A page that is open: the browser's own calls, and what it tells of this page. */
export type OpenPage = {
  send: Send
  listen: (method: string, listener: (params: Record<string, unknown>) => void) => void
}

/**
 * One page, in a browser context of its own, once it has come to rest. `prepare` is done before it is opened. Throws
 * HttpProblem 502 when it does not open.
 */
export async function withPage<T>(devtools: Devtools, ask: PageAsk, work: (page: OpenPage) => Promise<T>, prepare: (page: OpenPage) => Promise<void> = async () => {}): Promise<T> {
  const { browserContextId } = await devtools.send('Target.createBrowserContext')
  try {
    const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank', browserContextId })
    const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: true }) as { sessionId: string }
    const send: Send = (method, params) => devtools.send(method, params, sessionId)
    const page = watch(devtools, sessionId, ask)
    const stops = [page.stop]
    const open: OpenPage = { send, listen: (method, listener) => void stops.push(devtools.listen(event => { if (event.sessionId === sessionId && event.method === method) listener(event.params) })) }
    try {
      await send('Page.enable')
      await send('Page.setLifecycleEventsEnabled', { enabled: true })
      await send('Fetch.enable', { patterns: [{ urlPattern: '*' }] })
      await send('Emulation.setDeviceMetricsOverride', { width: ask.width, height: ask.height, deviceScaleFactor: 1, mobile: ask.isPhone })
      await send('Emulation.setTouchEmulationEnabled', { enabled: ask.isPhone })
      // Nothing half way through a movement.
      await send('Emulation.setEmulatedMedia', { features: [{ name: 'prefers-reduced-motion', value: 'reduce' }] })
      await prepare(open)
      const { errorText } = await send('Page.navigate', { url: ask.url })
      // A redirect by script ends the first navigation early; that is no failure of the page.
      if (typeof errorText === 'string' && errorText !== 'net::ERR_ABORTED') throw new HttpProblem(502, 'The shop’s page did not open.')
      await Promise.race([page.atRest(send), setTimeout(patience, undefined, { ref: false })])
      return await work(open)
    } finally {
      for (const stop of stops) stop()
    }
  } finally {
    // Of a browser that is gone there is nothing to close.
    await devtools.send('Target.disposeBrowserContext', { browserContextId }).catch(() => {})
  }
}

/** A page as a JPEG of its window. */
export const takePicture = (devtools: Devtools, ask: PageAsk & { /** Run in the page before it is looked at. */ before?: string }): Promise<Buffer> => withPage(devtools, ask, async ({ send }) => {
  if (ask.before) await send('Runtime.evaluate', { expression: ask.before })
  const { data } = await send('Page.captureScreenshot', { format: 'jpeg', quality: jpegQuality }) as { data: string }
  return Buffer.from(data, 'base64')
})

/** The answer that the page itself came with, once there is one. To be called before the page is opened. */
export async function watchStatus({ send, listen }: OpenPage): Promise<() => number | null> {
  let status: number | null = null
  const { frameTree } = await send('Page.getFrameTree') as { frameTree: { frame: { id: string } } }
  listen('Network.responseReceived', ({ type, frameId, response }) => {
    if (type === 'Document' && frameId === frameTree.frame.id) status = (response as { status: number }).status
  })
  await send('Network.enable')
  return () => status
}

export type SmallPicture = { image: Buffer; status: number | null; /** Path of the page that is shown in the end. */ end: string }

/** A page as a JPEG of its window at another scale, and whether it is the page that was asked for. */
export async function takeSmallPicture(devtools: Devtools, ask: PageAsk, scale: number): Promise<SmallPicture> {
  let status = (): number | null => null
  return withPage(devtools, ask, async ({ send }) => {
    const { result } = await send('Runtime.evaluate', { expression: 'location.pathname' }) as { result: { value?: string } }
    const { data } = await send('Page.captureScreenshot', {
      format: 'jpeg', quality: jpegQuality, clip: { x: 0, y: 0, width: ask.width, height: ask.height, scale },
    }) as { data: string }
    return { image: Buffer.from(data, 'base64'), status: status(), end: result.value ?? '' }
  }, async page => { status = await watchStatus(page) })
}

export type Send = (method: string, params?: Record<string, unknown>) => Promise<Record<string, unknown>>

/** Answers the page's requests and dialogs, and knows when it has come to rest. */
function watch(devtools: Devtools, sessionId: string, ask: PageAsk): { atRest: (send: Send) => Promise<void>; stop: () => void } {
  let mainFrame = '', loader = '', idleLoader = ''
  let onIdle = () => {}
  const tell = (method: string, params: Record<string, unknown>) => void devtools.send(method, params, sessionId).catch(() => {})
  const on: Record<string, (params: Record<string, unknown>) => void> = {
    'Fetch.requestPaused': params => void judge(params, ask, tell),
    'Page.javascriptDialogOpening': () => tell('Page.handleJavaScriptDialog', { accept: false }),
    'Page.frameNavigated': params => {
      const frame = params['frame'] as { id: string; parentId?: string; loaderId: string }
      if (frame.parentId !== undefined) return
      mainFrame = frame.id
      loader = frame.loaderId
    },
    'Page.lifecycleEvent': ({ frameId, loaderId, name }) => {
      if (name !== 'networkIdle' || frameId !== mainFrame) return
      idleLoader = String(loaderId)
      onIdle()
    },
  }
  const stop = devtools.listen(({ method, params, sessionId: of }: DevtoolsEvent) => { if (of === sessionId) on[method]?.(params) })
  return {
    stop,
    atRest: async send => {
      for (;;) {
        if (!loader || idleLoader !== loader) await new Promise<void>(resolve => { onIdle = resolve })
        const at = loader
        if (idleLoader !== at) continue
        // Fonts that came late are drawn, and what scripts changed; a page that went on meanwhile is waited for again.
        await send('Runtime.evaluate', { expression: 'document.fonts.ready.then(() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))', awaitPromise: true }).catch(() => {})
        if (loader === at) return
      }
    },
  }
}

async function judge(params: Record<string, unknown>, { mayFetch, answer }: PageAsk, tell: (method: string, params: Record<string, unknown>) => void): Promise<void> {
  const { requestId, request } = params as { requestId: string; request: { url: string; method: string } }
  const url = URL.parse(request.url)
  const isReading = request.method === 'GET' || request.method === 'HEAD'
  const own = url && isReading ? await answer(url).catch(() => null) : null
  if (own) {
    tell('Fetch.fulfillRequest', {
      requestId, responseCode: 200, body: own.body.toString('base64'),
      // The preview is fetched as a module.
      responseHeaders: [{ name: 'content-type', value: own.type }, { name: 'access-control-allow-origin', value: '*' }, { name: 'cross-origin-resource-policy', value: 'cross-origin' }],
    })
  } else if (url && isReading && mayFetch(url)) tell('Fetch.continueRequest', { requestId })
  else tell('Fetch.failRequest', { requestId, errorReason: 'BlockedByClient' })
}
