import { existsSync, globSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Path of the first of these programs on the PATH; null when there is none. */
const onPath = (...names: string[]): string | null =>
  names
    .flatMap(name => (process.env['PATH'] ?? '').split(delimiter).map(folder => join(folder, name)))
    .find(path => existsSync(path)) ?? null

/**
 * Path of Firefox: FIREFOX_PATH, one on the PATH, or one in a usual place; null when there is none.
 */
export const findFirefox = (): string | null =>
  process.env['FIREFOX_PATH'] ??
  onPath('firefox-esr', 'firefox') ??
  ['/snap/bin/firefox', '/Applications/Firefox.app/Contents/MacOS/firefox'].find(path =>
    existsSync(path),
  ) ??
  null

/**
 * Paths of WebKitGTK's driver, its browser and a virtual screen, as on Debian and its derivatives;
 * null when one of them is missing.
 */
export function findWebKit(): { driver: string; browser: string; screen: string } | null {
  const driver = onPath('WebKitWebDriver'),
    screen = onPath('xvfb-run')
  const browser =
    globSync('/usr/lib{,64,/*-linux-gnu,exec}/webkit{,2}gtk-*/MiniBrowser').sort().at(-1) ?? null
  return driver && screen && browser ? { driver, browser, screen } : null
}
