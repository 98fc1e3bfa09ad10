// Runs before every npm script, in plain JavaScript on the machine's own Node. Installs the
// packages of the lock file when node_modules does not have them. Prints to standard error, so that
// the output of the script itself stays clean.
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import process from 'node:process'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

/**
 * Whether node_modules has every package of the lock file in the locked version. Optional packages
 * may be missing.
 */
function isInstalled() {
  const installedLock = `${root}node_modules/.package-lock.json`
  if (!existsSync(installedLock)) return false
  const packagesOf = path => JSON.parse(readFileSync(path, 'utf8')).packages
  const installed = packagesOf(installedLock)
  return Object.entries(packagesOf(`${root}package-lock.json`)).every(([path, wanted]) => {
    if (path === '') return true
    const found = installed[path]
    return found ? found.version === wanted.version : Boolean(wanted.optional)
  })
}

if (!isInstalled()) {
  process.stderr.write('Installing the packages of package-lock.json (once, about a minute) …\n')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    process.stderr.write('npm ci failed; its messages are above.\n')
    process.exit(1)
  }
}
