import { fork, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import type { ThemeFiles } from './theme-files.ts'
import type { PageAsk } from './theme.ts'

export type ThemeSource = { id: string; files: ThemeFiles }
/**
 * Requests to the process: to compile a theme, and to draw a page of the theme that it compiled
 * last.
 */
export type DrawingAsk = { compile: ThemeSource } | { page: PageAsk }
export type DrawingAnswer =
  | { html: string }
  | { ok: true }
  | { refused: { message: string; fields: FieldProblem[] } }
  | { failed: string }
/**
 * Draws themes whose Liquid somebody else wrote, in a separate process, which ends when it takes
 * too long or too much memory.
 */
export type ThemeDrawing = {
  /**
   * Throws HttpProblem 422, which names the file, when the files do not make a theme; 503 when that
   * takes too long.
   */
  check: (theme: ThemeSource) => Promise<void>
  /**
   * Throws HttpProblem 503 for a page that takes too long or too much memory, and while too many
   * pages wait.
   */
  draw: (theme: ThemeSource, page: PageAsk) => Promise<string>
  close: () => Promise<void>
}

/**
 * The timeout of one answer in milliseconds. The process stops its own work earlier; this is for a
 * process that cannot.
 */
const timeout = 5_000
/** How many pages may wait at a time. */
const most = 50
const source = new URL('./theme-process.ts', import.meta.url)
const built = new URL('../../dist/theme-process.js', import.meta.url)

export function themeDrawing(): ThemeDrawing {
  let child: ChildProcess | null = null
  let compiled: ThemeSource | null = null
  let turn: Promise<unknown> = Promise.resolve()
  let waiting = 0

  /**
   * Starts the process when it is first needed: with none of our environment variables, and with
   * little memory.
   */
  function started(): ChildProcess {
    if (child) return child
    const made = fork(fileURLToPath(existsSync(source) ? source : built), {
      env: {},
      execArgv: ['--max-old-space-size=128'],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    made.once('exit', () => {
      if (child === made) forget()
    })
    // Writing to a process that is ending raises an error. `ask` waits for its end anyway.
    made.on('error', () => {})
    child = made
    return made
  }
  const forget = (): void => {
    child = null
    compiled = null
  }

  const ask = (asked: DrawingAsk): Promise<DrawingAnswer> =>
    new Promise(resolve => {
      const own = started()
      const done = (answer: DrawingAnswer): void => {
        clearTimeout(timer)
        own.off('message', done).off('exit', ended)
        resolve(answer)
      }
      const ended = (): void => done({ failed: 'ended' })
      const timer = setTimeout(() => own.kill('SIGKILL'), timeout)
      own.once('message', done).once('exit', ended)
      own.send(asked, error => {
        if (error) own.kill('SIGKILL')
      })
    })

  async function compile(theme: ThemeSource): Promise<void> {
    if (compiled === theme) return
    compiled = null
    const answer = await ask({ compile: theme })
    if ('refused' in answer)
      throw new HttpProblem(422, answer.refused.message, answer.refused.fields)
    if ('failed' in answer) throw tooMuch()
    compiled = theme
  }

  /** Runs one request after the other. Slow Liquid delays only pages of changed themes. */
  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (waiting >= most)
      return Promise.reject(
        new HttpProblem(
          503,
          'Too many pages of changed themes wait to be drawn. Try again in a moment.',
        ),
      )
    waiting++
    const mine = turn.then(work).finally(() => waiting--)
    turn = mine.catch(() => {})
    return mine
  }

  return {
    check: theme => inTurn(() => compile({ ...theme })),
    draw: (theme, page) =>
      inTurn(async () => {
        await compile(theme)
        const answer = await ask({ page })
        if ('html' in answer) return answer.html
        throw tooMuch()
      }),
    close: async () => {
      const own = child
      forget()
      if (!own || own.exitCode !== null || own.signalCode !== null) return
      const ended = new Promise(resolve => own.once('exit', resolve))
      own.kill('SIGKILL')
      await ended
    },
  }
}

const tooMuch = (): HttpProblem =>
  new HttpProblem(503, 'The theme’s Liquid takes too long or too much memory to draw.')
