import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chromium } from '@playwright/test'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
/**
 * Names of Chromium builds without a window. They need a third less processor time for the same
 * pages.
 */
const headlessNames = ['chromium-headless-shell', 'chrome-headless-shell']
/** Arguments that forbid background downloads, updates and syncing. */
export const chromiumArgs = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

/**
 * Path of a Chromium on this machine: CHROMIUM_PATH, one on the PATH, or the one that Playwright
 * installed; null when there is none.
 */
export function findChromium(): string | null {
  const named = process.env['CHROMIUM_PATH']
  if (named) {
    if (!existsSync(named)) throw new Error(`CHROMIUM_PATH names ${named}, which is not there.`)
    return named
  }
  return onPath(names) ?? (existsSync(chromium.executablePath()) ? chromium.executablePath() : null)
}

function onPath(programs: readonly string[]): string | null {
  for (const name of programs) {
    try {
      return execFileSync('/bin/sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).trim()
    } catch {
      /* not on the PATH: try the next name */
    }
  }
  return null
}

/**
 * The browser for stories: a headless shell if there is one, else Chromium. A story that needs more
 * names Chromium itself.
 */
export const storyBrowser = (): string => onPath(headlessNames) ?? ensureChromium()

/**
 * Installs Debian's headless shell if possible. It is optional: without it the stories take longer.
 */
export function installHeadlessShell(): void {
  if (!mayInstall() || onPath(headlessNames)) return
  const install = 'apt-get install -qy chromium-headless-shell'
  const run = (command: string) =>
    execFileSync('/bin/sh', ['-c', `DEBIAN_FRONTEND=noninteractive ${command}`], {
      stdio: 'ignore',
      timeout: 120_000,
    })
  try {
    run(`${install} || { apt-get update -q && ${install}; }`)
  } catch {
    console.log('No headless shell here: the stories run in Chromium.')
  }
}

/** Finds Chromium, or installs it: Debian's package when root, else Playwright's build. */
export function ensureChromium(): string {
  const found = findChromium()
  if (found) return found
  console.log('No Chromium here: installing one …')
  const run = (command: string) => execFileSync('/bin/sh', ['-c', command], { stdio: 'inherit' })
  if (mayInstall())
    run('apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy chromium')
  else run('npx playwright install chromium')
  const installed = findChromium()
  if (!installed) throw new Error('Chromium could not be installed; set CHROMIUM_PATH to one.')
  return installed
}

const mayInstall = (): boolean => process.getuid?.() === 0 && existsSync('/etc/debian_version')
