import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { findFirefox, findWebKit } from './build/browser-paths.ts'
import { runCheck, runPlaywright, type SuiteResult } from './testing/suites.ts'

// npm run browsers: runs the stories for the shop's script and the app in Firefox and WebKit.
// Arguments select stories.
process.chdir(new URL('..', import.meta.url).pathname)
const needed = [
  {
    name: 'Firefox',
    packages: ['firefox-esr'],
    elsewhere: ', or set FIREFOX_PATH to a Firefox',
    isThere: () => findFirefox() !== null,
  },
  {
    name: 'WebKit',
    packages: ['webkit2gtk-driver', 'xvfb', 'xauth'],
    elsewhere: '; other systems have no WebKit that it can drive',
    isThere: () => findWebKit() !== null,
  },
]
const packages = needed.filter(({ isThere }) => !isThere()).flatMap(({ packages }) => packages)
if (packages.length > 0 && process.getuid?.() === 0 && existsSync('/etc/debian_version')) {
  console.log(`Installing ${packages.join(', ')} …`)
  // apt's output is on the screen. Packages that are still missing are reported below.
  spawnSync(
    '/bin/sh',
    [
      '-c',
      `apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy ${packages.join(' ')}`,
    ],
    { stdio: 'inherit' },
  )
}
const there = needed.filter(({ isThere }) => isThere()),
  missing = needed.filter(browser => !there.includes(browser))

const results: SuiteResult[] =
  there.length > 0 ? [await runCheck('build', process.execPath, ['scripts/build.ts'])] : []
for (const { name } of there)
  results.push(
    await runPlaywright(name, [
      '--config=test/browsers/playwright.config.ts',
      `--project=${name}`,
      ...process.argv.slice(2),
    ]),
  )
for (const { name, passed, failed, seconds } of results)
  console.log(`${name.padEnd(22)} ${passed} passed, ${failed} failed  (${seconds} s)`)
for (const { name, packages, elsewhere } of missing)
  console.error(
    `${name.padEnd(22)} is not installed: on Debian or Ubuntu run apt-get install ${packages.join(' ')}${elsewhere}.`,
  )
process.exitCode =
  missing.length > 0 || results.some(({ passed, failed }) => failed > 0 || passed === 0) ? 1 : 0
