import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import t from 'tap'
import { openChromium } from '../../../engine/browser/chromium.ts'
import { wholeChromium } from '../support/processes/whole-chromium.ts'

// Chromium can be slow on a busy machine.
t.setTimeout(120_000)
const path = wholeChromium()
const launcher = join(import.meta.dirname, '../../../scripts/launcher.ts')
/**
 * When the tests run as root, the launcher runs under another account, as in the image, if that
 * account can read this folder.
 */
const nobody = { uid: 65534, gid: 65534 }
const account: { uid?: number; gid?: number } =
  process.getuid?.() === 0 &&
  spawnSync(process.execPath, ['--version', launcher], { ...nobody, cwd: '/' }).status === 0
    ? nobody
    : {}

t.test(
  'a browser of the launcher gets none of our environment and cannot read our data',
  {
    skip:
      (!path && 'no Chromium here') ||
      (process.platform !== 'linux' && 'only Linux shows what a process was started with'),
  },
  async t => {
    const folder = mkdtempSync(join(tmpdir(), 'twinshelf-launcher-')),
      socket = join(folder, 'chromium.sock')
    chmodSync(folder, 0o777)
    t.teardown(() => rmSync(folder, { recursive: true, force: true }))
    const child = spawn(process.execPath, [launcher, socket], {
      ...account,
      cwd: '/',
      env: { CHROMIUM_PATH: path! },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    const exited = once(child, 'exit')
    t.teardown(() => child.kill('SIGKILL'))
    while (!existsSync(socket) || !(await answers(socket)))
      await new Promise(resolve => setImmediate(resolve))

    const signal = new AbortController().signal
    const browser = await openChromium({
      path: '/no/such/program',
      launcher: socket,
      sandbox: 'auto',
      resolverRules: 'MAP * ~NOTFOUND',
      signal,
    })
    const answer = async () => ({ type: 'text/html', body: '<p>seen' })
    const ask = {
      url: 'http://shop.example/',
      width: 400,
      height: 300,
      isPhone: false,
      isStill: true,
      mayFetch: () => false,
      answer,
    }
    t.equal(
      await browser.read(ask, 'document.body.innerText'),
      'seen',
      'the browser works, and the launcher chooses the program',
    )

    const [pid] = browsersOf(child.pid!)
    const of = (file: string) => readFileSync(`/proc/${pid}/${file}`, 'utf8')
    const names = of('environ')
      .split('\0')
      .map(each => each.split('=')[0]!)
      .filter(Boolean)
    t.same(
      names.filter(
        name =>
          process.env[name] !== undefined &&
          !['PATH', 'HOME', 'LANG', 'TMPDIR', 'PWD', 'SHLVL', '_'].includes(name) &&
          !name.startsWith('CHROME'),
      ),
      [],
      'no environment variable of ours',
    )
    if (account.uid !== undefined) {
      t.match(of('status'), new RegExp(`^Uid:\\s+${account.uid}\\s+${account.uid}`, 'm'))
      const data = mkdtempSync(join(tmpdir(), 'twinshelf-data-'))
      t.teardown(() => rmSync(data, { recursive: true }))
      chmodSync(data, 0o700)
      t.not(spawnSync('ls', [data], account).status, 0, 'that account cannot read the data folder')
    }
    for (const wrong of [
      '{}\n',
      'x\n',
      `{"hasSandbox":false,"resolverRules":"MAP * 1.2.3.4 --renderer-cmd-prefix='x'"}\n`,
      'x'.repeat(20_000),
    ]) {
      const other = connect(socket).on('error', () => {})
      other.write(wrong)
      await once(other.resume(), 'close')
    }
    t.equal(
      browsersOf(child.pid!).filter(each => each !== pid && isMain(each)).length,
      0,
      'an invalid request starts no browser',
    )
    await browser.close()
    while (browsersOf(child.pid!).length > 0) await new Promise(resolve => setImmediate(resolve))
    t.equal(child.exitCode, null, 'the launcher still runs')
    child.kill()
    await exited
    await t.rejects(
      openChromium({
        path: path!,
        launcher: socket,
        sandbox: 'auto',
        resolverRules: 'MAP * ~NOTFOUND',
        signal,
      }),
      { message: /browser stopped/ },
      'without the launcher there is no browser: we start none ourselves',
    )
  },
)

const answers = (socket: string) =>
  new Promise<boolean>(resolve => {
    const probe = connect(socket)
    probe.once('connect', () => {
      probe.destroy()
      resolve(true)
    })
    probe.once('error', () => resolve(false))
  })

const commandOf = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}
const isMain = (pid: string) =>
  commandOf(pid).includes('--remote-debugging-pipe') && !commandOf(pid).includes('--type=')
/**
 * Ids of the Chromium processes that process `pid` started, the main process first. The name of
 * Chromium's profile folder contains that `pid`.
 */
const browsersOf = (pid: number): string[] =>
  readdirSync('/proc')
    .filter(entry => /^\d+$/.test(entry) && commandOf(entry).includes(`twinshelf-chromium-${pid}-`))
    .sort((a, b) => Number(!isMain(a)) - Number(!isMain(b)))
