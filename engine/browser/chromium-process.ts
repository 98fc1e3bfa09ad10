import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'

export type ChromiumStart = {
  path: string
  hasSandbox: boolean
  /**
   * Chromium's host resolver rules: which host names resolve to which addresses. All other names
   * must resolve to nothing.
   */
  resolverRules: string
}
export type ChromiumProcess = {
  input: Writable
  output: Readable
  kill: () => void
  /** Resolves when the process has ended and its profile is deleted. */
  gone: Promise<void>
}

const profilePrefix = 'twinshelf-chromium-'

/**
 * Starts a headless browser that we drive through its pipes. It ends when this process ends, even
 * by a crash.
 */
export function startChromium({ path, hasSandbox, resolverRules }: ChromiumStart): ChromiumProcess {
  removeOldProfiles()
  const profile = mkdtempSync(join(tmpdir(), `${profilePrefix}${process.pid}-`))
  const child = spawn(
    path,
    [
      '--headless',
      '--remote-debugging-pipe',
      `--user-data-dir=${profile}`,
      `--host-resolver-rules=${resolverRules}`,
      '--no-proxy-server',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      '--disable-extensions',
      '--disable-default-apps',
      '--disable-dev-shm-usage',
      '--mute-audio',
      '--hide-scrollbars',
      '--force-color-profile=srgb',
      '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
      '--block-new-web-contents',
      // A page that needs more memory than this (in MB) is closed; the server continues.
      '--js-flags=--max-old-space-size=512',
      '--renderer-process-limit=4',
      ...(hasSandbox ? [] : ['--no-sandbox']),
      'about:blank',
    ],
    {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
      env: environment(profile),
      cwd: profile,
    },
  )
  const [, , , input, output] = child.stdio as unknown as [null, null, null, Writable, Readable]
  const ended = Promise.race([once(child, 'exit'), once(child, 'error')]).then(
    () => {},
    () => {},
  )
  return {
    input,
    output,
    kill: () => void child.kill('SIGKILL'),
    gone: ended.then(() => removeProfile(profile)),
  }
}

/** The browser opens pages that are not ours, so it gets none of our configuration. */
function environment(home: string): NodeJS.ProcessEnv {
  const { SystemRoot } = process.env
  if (process.platform === 'win32')
    return { ...(SystemRoot && { SystemRoot }), TEMP: home, TMP: home }
  return { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: home, TMPDIR: home, LANG: 'en_US.UTF-8' }
}

/** Deletes the profiles of processes that were killed before they could do it themselves. */
function removeOldProfiles(): void {
  for (const name of readdirSync(tmpdir())) {
    const [, pid] = name.startsWith(profilePrefix)
      ? (/^(\d+)-/.exec(name.slice(profilePrefix.length)) ?? [])
      : []
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
    // `removeOldProfiles` deletes it later.
  }
}
