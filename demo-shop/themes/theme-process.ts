import { Script } from 'node:vm'
import { HttpProblem } from '../../domain/problem.ts'
import type { DrawingAnswer, DrawingAsk } from './theme-drawing.ts'
import { compileTheme, type DrawPage } from './theme.ts'

/**
 * Milliseconds for one theme or page. V8 itself interrupts the code then, also inside filters and
 * regular expressions.
 */
const timeout = 2_500
const run = new Script('work()')

let draw: DrawPage | null = null
const place = globalThis as unknown as { work: () => DrawingAnswer }

/**
 * Compiles and draws themes whose Liquid somebody else wrote. theme-drawing.ts starts this process,
 * which ends with it.
 */
process.on('message', (asked: DrawingAsk) => {
  place.work = () => {
    if ('page' in asked) return { html: draw!(asked.page) }
    draw = compileTheme(asked.compile.id, asked.compile.files)
    return { ok: true }
  }
  process.send!(answered())
})
process.once('disconnect', () => process.exit())

function answered(): DrawingAnswer {
  try {
    return run.runInThisContext({ timeout }) as DrawingAnswer
  } catch (error) {
    if (error instanceof HttpProblem)
      return { refused: { message: error.message, fields: error.fields } }
    return { failed: (error as Error).message }
  }
}
