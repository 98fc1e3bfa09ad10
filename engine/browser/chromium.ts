import { accessSync, constants } from 'node:fs'
import { homedir } from 'node:os'
import { posix, win32 } from 'node:path'
import type { Browser } from 'puppeteer-core'
import { hour } from '../../domain/time-units.ts'
import { BrowserEnded, browserStopped, tooMuch } from './chromium-ended.ts'
import { orderChromium } from './chromium-launcher.ts'
import { type PageLook, seePage } from './chromium-look.ts'
import {
  readPage,
  takePicture,
  takeSmallPicture,
  type PageAsk,
  type SmallPicture,
} from './chromium-page.ts'
import { openPipe } from './chromium-pipe.ts'
import { type ChromiumProcess, type ChromiumStart, startChromium } from './chromium-process.ts'

const linuxNames = [
  'chromium',
  'chromium-browser',
  'google-chrome-stable',
  'google-chrome',
  'chrome',
  'headless-shell',
  'microsoft-edge-stable',
  'microsoft-edge',
  'msedge',
]
const linuxPlaces = [
  '/usr/bin',
  '/usr/local/bin',
  '/snap/bin',
  '/opt/google/chrome',
  '/opt/microsoft/msedge',
  '/opt/chromium.org/chromium',
  '/headless-shell',
]
const macApps = ['Google Chrome', 'Chromium', 'Microsoft Edge']
const windowsPrograms = [
  'Google\\Chrome\\Application\\chrome.exe',
  'Chromium\\Application\\chrome.exe',
  'Microsoft\\Edge\\Application\\msedge.exe',
]
export type Machine = {
  platform: NodeJS.Platform
  env: NodeJS.ProcessEnv
  home: string
  isProgram: (path: string) => boolean
}

/**
 * Finds a Chrome, Chromium or Edge: the configured one, otherwise one in the usual places. Returns
 * null when there is none, or when it is switched off.
 */
export function findChromium(
  configured: string | undefined,
  { platform, env, home, isProgram }: Machine = thisMachine(),
): string | null {
  if (configured === 'off') return null
  const usual = (): string[] => {
    if (platform === 'win32')
      return [env['ProgramFiles'], env['ProgramFiles(x86)'], env['LOCALAPPDATA']].flatMap(folder =>
        folder ? windowsPrograms.map(program => win32.join(folder, program)) : [],
      )
    const apps =
      platform === 'darwin'
        ? ['/Applications', posix.join(home, 'Applications')].flatMap(folder =>
            macApps.map(app => posix.join(folder, `${app}.app/Contents/MacOS/${app}`)),
          )
        : []
    const folders = [...(env['PATH'] ?? '').split(':').filter(Boolean), ...linuxPlaces]
    return [...apps, ...folders.flatMap(folder => linuxNames.map(name => posix.join(folder, name)))]
  }
  return (configured ? [configured] : usual()).find(isProgram) ?? null
}

const thisMachine = (): Machine => ({
  platform: process.platform,
  env: process.env,
  home: homedir(),
  isProgram: path => {
    try {
      accessSync(path, constants.X_OK)
      return true
    } catch {
      return false
    }
  },
})

export type ChromiumOptions = Omit<ChromiumStart, 'hasSandbox'> & {
  /** `auto`: with the sandbox where the system allows one. */
  sandbox: 'auto' | 'on' | 'off'
  /**
   * Socket of the launcher that starts the browser under another account. Undefined: we start it
   * ourselves.
   */
  launcher: string | undefined
  /** Ends the browser at once. */
  signal: AbortSignal
  /** Called when the browser did not start with its sandbox, but without it. */
  onNoSandbox?: (error: unknown) => void
}
export type Chromium = {
  /** JPEG of the window once the page is at rest. Each picture shows what a new visitor sees. */
  picture: (ask: PageAsk & { before?: string }) => Promise<Buffer>
  /** The same at another scale. */
  smallPicture: (ask: PageAsk, scale: number) => Promise<SmallPicture>
  /** What a new visitor finds on a page, and the errors of its scripts. */
  look: (ask: PageAsk, selectors: readonly string[]) => Promise<PageLook>
  /** The result of a script that runs in a page. */
  read: (ask: PageAsk, script: string) => Promise<string>
  /** Resolves when the browser has ended and its profile is deleted. */
  close: () => Promise<void>
}

/**
 * Until when we start a program without the sandbox right away. A start may also fail because
 * memory is short, so we try the sandbox again after an hour.
 */
const withoutSandbox = new Map<string, number>()

/** Opens a browser. Throws BrowserEnded when it does not start. */
export async function openChromium({
  sandbox,
  signal,
  launcher,
  onNoSandbox,
  ...where
}: ChromiumOptions): Promise<Chromium> {
  const isTried =
    sandbox === 'on' || (sandbox === 'auto' && (withoutSandbox.get(where.path) ?? 0) < Date.now())
  const start = (hasSandbox: boolean) =>
    launcher
      ? orderChromium(launcher, { ...where, hasSandbox })
      : startChromium({ ...where, hasSandbox })
  try {
    return await open(start(isTried), signal)
  } catch (error) {
    signal.throwIfAborted()
    if (!isTried || sandbox === 'on') throw error
    const opened = await open(start(false), signal)
    withoutSandbox.set(where.path, Date.now() + hour)
    onNoSandbox?.(error)
    return opened
  }
}

async function open(child: ChromiumProcess, signal: AbortSignal): Promise<Chromium> {
  let reason: Error | null = null
  const end = (why: Error) => {
    reason ??= why
    child.kill()
  }
  const pipe = openPipe(child.input, child.output, () => end(new BrowserEnded(tooMuch)))
  const abort = () =>
    end(signal.reason instanceof Error ? signal.reason : new Error('Chromium was stopped.'))
  const ended = child.gone.then(() => {
    throw reason ?? new BrowserEnded(browserStopped)
  })
  ended.catch(() => {})
  signal.addEventListener('abort', abort, { once: true })
  if (signal.aborted) abort()
  /**
   * When the browser has ended, rejects with the reason instead of the driver's error, which helps
   * nobody.
   */
  const told = async <T>(work: Promise<T>): Promise<T> =>
    Promise.race([work, ended]).catch((error: unknown) => {
      throw reason ?? error
    })
  const close = async () => {
    signal.removeEventListener('abort', abort)
    end(new Error('Chromium was closed.'))
    await child.gone
  }
  let browser: Browser
  try {
    browser = await told(connect(pipe))
  } catch (error) {
    await close()
    throw error
  }
  const page = <T>(work: () => Promise<T>): Promise<T> => {
    pipe.nextPage()
    return told(work())
  }
  return {
    picture: ask => page(() => takePicture(browser, ask)),
    smallPicture: (ask, scale) => page(() => takeSmallPicture(browser, ask, scale)),
    look: (ask, selectors) => page(() => seePage(browser, ask, selectors)),
    read: (ask, script) => page(() => readPage(browser, ask, script)),
    close,
  }
}

/** Puppeteer is loaded when a browser is first needed. */
async function connect(transport: ReturnType<typeof openPipe>): Promise<Browser> {
  const { default: puppeteer } = await import('puppeteer-core')
  return puppeteer.connect({
    transport,
    defaultViewport: null,
    issuesEnabled: false,
    protocolTimeout: 0,
  })
}
