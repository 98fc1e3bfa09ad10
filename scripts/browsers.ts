import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { findFirefox, findWebKit } from './browser-paths.ts'
import { runCheck, runPlaywright } from './suites.ts'

// The shop's script and the app in the browsers that are not Chromium: npm run browsers. Names of stories narrow it down.
process.chdir(new URL('..', import.meta.url).pathname)
const needed = [
  { name: 'Firefox', packages: ['firefox-esr'], isThere: () => findFirefox() !== null },
  { name: 'WebKit', packages: ['webkit2gtk-driver', 'xvfb', 'xauth'], isThere: () => findWebKit() !== null },
]
const packages = needed.filter(({ isThere }) => !isThere()).flatMap(({ packages }) => packages)
if (packages.length > 0 && process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
  console.log(`Installing ${packages.join(', ')} …`)
  execFileSync('/bin/sh', ['-c', `apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy ${packages.join(' ')}`], { stdio: 'inherit' })
}
const missing = needed.filter(({ isThere }) => !isThere())
for (const { name, packages } of missing) console.error(`${name} is not on this machine. On Debian or Ubuntu: apt-get install ${packages.join(' ')}${name === 'Firefox' ? '; elsewhere set FIREFOX_PATH to one' : ''}.`)

const there = needed.filter(browser => !missing.includes(browser))
const results = [await runCheck('build', process.execPath, ['scripts/build.ts'])]
for (const { name } of there) results.push(await runPlaywright(name, ['--config=test/browsers/playwright.config.ts', `--project=${name}`, ...process.argv.slice(2)]))
for (const { name, passed, failed, seconds } of results) console.log(`${name.padEnd(22)} ${passed} passed, ${failed} failed  (${seconds} s)`)
process.exitCode = missing.length > 0 || results.some(({ passed, failed }) => failed > 0 || passed === 0) ? 1 : 0
