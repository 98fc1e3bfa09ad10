import { fork, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { HttpProblem, type FieldProblem } from '../../domain/problem.ts'
import type { ThemeFiles } from './theme-files.ts'
import type { PageAsk } from './theme.ts'

export type ThemeSource = { id: string; files: ThemeFiles }
/** What the process is asked: to compile a theme, and to draw a page of the one it compiled last. */
export type DrawingAsk = { compile: ThemeSource } | { page: PageAsk }
export type DrawingAnswer =
  | { html: string }
  | { ok: true }
  | { refused: { message: string; fields: FieldProblem[] } }
  | { failed: string }
/** Draws themes whose Liquid somebody else wrote: in a process of its own, which ends when it takes too long or too much. */
export type ThemeDrawing = {
  /** Throws HttpProblem 422, naming the file, when the files make no theme; 503 when that takes too long. */
  check: (theme: ThemeSource) => Promise<void>
  /** Throws HttpProblem 503 for a page that takes too long or too much, and while too many wait. */
  draw: (theme: ThemeSource, page: PageAsk) => Promise<string>
  close: () => Promise<void>
}

/** Longest that one answer may take, in milliseconds: the process ends itself first, this is for one that cannot. */
const timeout = 5_000
/** Pages that may wait at once. */
const most = 50
const source = new URL('./theme-process.ts', import.meta.url)
const built = new URL('../../dist/theme-process.js', import.meta.url)

export function themeDrawing(): ThemeDrawing {
  let child: ChildProcess | null = null
  let compiled: ThemeSource | null = null
  let turn: Promise<unknown> = Promise.resolve()
  let waiting = 0

  /** Started when it is first needed; with nothing of our environment, and little memory. */
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
    // A process that ends while it is written to; its end is what is waited for.
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

  /** One after the other: what is slow is slow for pages of changed themes alone. */
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
