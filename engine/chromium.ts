import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { openDevtools } from './chromium-pipe.ts'
import { type PageLook, seePage } from './chromium-look.ts'
import { takePicture, takeSmallPicture, type PageAsk, type SmallPicture } from './chromium-page.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome', 'headless-shell']
const places = ['/usr/bin', '/usr/local/bin', '/snap/bin', '/opt/google/chrome', '/headless-shell', '/Applications/Google Chrome.app/Contents/MacOS', '/Applications/Chromium.app/Contents/MacOS']
const appNames = ['Google Chrome', 'Chromium']

/** The Chromium to draw with: the one configured, else one where they usually are; null when there is none, or it is switched off. */
export function findChromium(configured: string | undefined, searchPath = process.env['PATH'] ?? ''): string | null {
  if (configured === 'off') return null
  const candidates = configured ? [configured] : [...searchPath.split(delimiter).filter(Boolean), ...places].flatMap(place => [...names, ...appNames].map(name => join(place, name)))
  return candidates.find(isProgram) ?? null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export type ChromiumOptions = {
  path: string
  /** False where the system gives Chromium no way to build its sandbox (root, most containers). */
  hasSandbox: boolean
  /** Chromium's own rules of which names lead where; anything else must lead nowhere. */
  resolverRules: string
  /** Ends the browser at once. */
  signal: AbortSignal
}
export type Chromium = {
  /** JPEG of what a window shows once the page in it has come to rest. Each picture is taken as by a new visitor. */
  picture: (ask: PageAsk & { before?: string }) => Promise<Buffer>
  /** The same at another scale. */
  smallPicture: (ask: PageAsk, scale: number) => Promise<SmallPicture>
  /** What stands on a page and what its scripts say, as for a new visitor. */
  look: (ask: PageAsk, selectors: readonly string[]) => Promise<PageLook>
  /** Settles when the browser is gone, and its profile with it. */
  close: () => Promise<void>
}

const profilePrefix = 'twinshelf-chromium-'

/** A browser of our own without a window, driven by its pipes: it ends when this process does, however that ends. */
export function openChromium({ path, hasSandbox, resolverRules, signal }: ChromiumOptions): Chromium {
  removeOldProfiles()
  const profile = mkdtempSync(join(tmpdir(), `${profilePrefix}${process.pid}-`))
  const child = spawn(path, [
    '--headless', '--remote-debugging-pipe', `--user-data-dir=${profile}`, `--host-resolver-rules=${resolverRules}`, '--no-proxy-server',
    '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--disable-extensions', '--disable-default-apps',
    '--disable-dev-shm-usage', '--mute-audio', '--hide-scrollbars', '--force-color-profile=srgb', '--force-webrtc-ip-handling-policy=disable_non_proxied_udp', '--block-new-web-contents',
    ...(hasSandbox ? [] : ['--no-sandbox']), 'about:blank',
  // It draws pages that are not ours: our secrets are not among what it is started with.
  ], { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], env: { PATH: process.env['PATH'] ?? '', HOME: profile, LANG: 'en_US.UTF-8' } })
  const [, , , input, output] = child.stdio as unknown as [null, null, null, Writable, Readable]
  const devtools = openDevtools(input, output)
  // A pipe that breaks is the browser's end, which `exit` tells of.
  input.on('error', () => {})
  output.on('error', () => {})
  const gone = Promise.race([once(child, 'exit'), once(child, 'error')]).then(() => {}, () => {})
  void gone.then(() => devtools.end(new Error('Chromium has ended.')))
  const kill = () => {
    devtools.end(signal.reason instanceof Error ? signal.reason : new Error('Chromium was stopped.'))
    child.kill('SIGKILL')
  }
  signal.addEventListener('abort', kill, { once: true })
  if (signal.aborted) kill()
  return {
    picture: ask => takePicture(devtools, ask),
    smallPicture: (ask, scale) => takeSmallPicture(devtools, ask, scale),
    look: (ask, selectors) => seePage(devtools, ask, selectors),
    close: async () => {
      signal.removeEventListener('abort', kill)
      if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
      await gone
      removeProfile(profile)
    },
  }
}

/** Those of processes that were killed before they could tidy up. */
function removeOldProfiles(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = name.startsWith(profilePrefix) ? /^(\d+)-/.exec(name.slice(profilePrefix.length)) ?? [] : []
    if (pid && !isRunning(Number(pid))) removeProfile(join(tmpdir(), name))
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function removeProfile(folder: string): void {
  try {
    // Helper processes of the browser may still be writing for a moment.
    rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  } catch {
    // Left for the next time.
  }
}
