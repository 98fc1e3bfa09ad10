import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../ports.ts'
import { Tab, until, type Browser, type Driver } from './tab.ts'

/**
 * Paths of the WebDriver server, of the browser that it starts, and of xvfb-run, the virtual screen
 * for both.
 */
export type WebKitPaths = { driver: string; browser: string; screen: string }
type Call = <T>(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object) => Promise<T>
type Reference = Record<string, string>
/** The key that marks an element in WebDriver's JSON. */
const elementKey = 'element-6066-11e4-a52e-4f735466cecf'
const keys = { Escape: '\uE00C', Enter: '\uE007', Control: '\uE009', Shift: '\uE008', z: 'z' }

/** Starts WebKitGTK's MiniBrowser on a virtual screen and drives it by WebDriver over HTTP. */
export async function openWebKit({ driver, browser, screen }: WebKitPaths): Promise<Browser> {
  const port = await freePort(),
    said: string[] = []
  const child = spawn(screen, ['-a', '-s', '-screen 0 1440x1000x24', driver, `--port=${port}`], {
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, LANG: 'en_US.UTF-8' },
  })
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk.toString()))
  const call: Call = async (method, path, body) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(method === 'POST' && { body: JSON.stringify(body ?? {}) }),
    })
    const { value } = (await response.json()) as { value: { error?: string; message?: string } }
    if (!response.ok) throw new Error(`${value.error}: ${value.message}`)
    return value as never
  }
  await until('WebKitWebDriver', async () => {
    if (child.exitCode !== null) throw new Error(said.join(''))
    return (await call<{ ready: boolean }>('GET', '/status')).ready
  })
  const begin = () =>
    call<{ sessionId: string; capabilities: { browserVersion: string } }>('POST', '/session', {
      capabilities: {
        alwaysMatch: {
          unhandledPromptBehavior: 'accept',
          'webkitgtk:browserOptions': { binary: browser, args: ['--automation'] },
        },
      },
    })
  let session = await begin(),
    isFresh = true
  const end = () => call('DELETE', `/session/${session.sessionId}`)
  return {
    version: `WebKitGTK ${session.capabilities.browserVersion}`,
    visit: async () => {
      // A new session is the only way to clear cookies and storage.
      if (!isFresh) {
        await end()
        session = await begin()
      }
      isFresh = false
      const path = `/session/${session.sessionId}`
      await call('POST', `${path}/window/rect`, { x: 0, y: 0, width: 1440, height: 1000 })
      return new Tab(driverOf((method, rest, body) => call(method, path + rest, body)) as Driver)
    },
    close: async () => {
      await end().catch(() => {})
      const gone = once(child, 'exit')
      process.kill(-child.pid!)
      await gone
    },
  }
}

function driverOf(call: Call): Driver<Reference> {
  const run = <T>(expression: string) =>
    call<T>('POST', '/execute/sync', { script: `return ${expression}`, args: [] })
  /** Switches the session to a frame, or to the page. A session is in one frame at a time. */
  const within = async (frame?: string) => {
    await call('POST', '/frame', { id: null })
    if (frame !== undefined)
      await call('POST', '/frame', {
        id: await run(`document.querySelector(${JSON.stringify(frame)})`),
      })
  }
  const pathOf = (element: Reference) => `/element/${element[elementKey]}`
  return {
    goto: url => call('POST', '/url', { url }),
    go: steps => call('POST', steps === 0 ? '/refresh' : '/back'),
    evaluate: async (expression, frame) => {
      await within(frame)
      return run(expression)
    },
    element: async (expression, frame) => {
      await within(frame)
      return run<Reference | null>(expression)
    },
    click: async (element, frame) => {
      await within(frame)
      await call('POST', `${pathOf(element)}/click`)
    },
    type: async (element, text, frame) => {
      await within(frame)
      await call('POST', `${pathOf(element)}/value`, { text })
    },
    drag: async (elements, frame) => {
      await within(frame)
      const [from, ...others] = elements.map(origin => ({
        type: 'pointerMove',
        x: 0,
        y: 0,
        origin,
      }))
      await call('POST', '/actions', {
        actions: [
          {
            type: 'pointer',
            id: 'mouse',
            actions: [
              from,
              { type: 'pointerDown', button: 0 },
              ...others,
              { type: 'pointerUp', button: 0 },
            ],
          },
        ],
      })
    },
    upload: async (element, path) => {
      await call('POST', `${pathOf(element)}/value`, { text: path })
    },
    picture: async () => Buffer.from(await call<string>('GET', '/screenshot'), 'base64'),
    press: async (key, held) => {
      // Focus the window first: otherwise keys go to the frame that the session used last.
      await within()
      await run('window.focus()')
      const down = [...held, key].map(name => keys[name])
      await call('POST', '/actions', {
        actions: [
          {
            type: 'key',
            id: 'keys',
            actions: [
              ...down.map(value => ({ type: 'keyDown', value })),
              ...down.toReversed().map(value => ({ type: 'keyUp', value })),
            ],
          },
        ],
      })
    },
  }
}
