import { type ImportProblem, importProblemText } from '../../domain/imports/import-row.ts'
import { namedProblems } from '../../domain/imports/import.ts'
import { HttpProblem } from '../../domain/problem.ts'

/** Counts the problems of a file and keeps the first of them, in the order of the file. */
export class Problems {
  first: ImportProblem[] = []
  count = 0
  add(problem: ImportProblem): void {
    this.count++
    this.first = [...this.first, problem].sort((a, b) => a.line - b.line).slice(0, namedProblems)
  }
}

export const refused = (
  problems: readonly ImportProblem[],
  count = problems.length,
): HttpProblem => {
  const texts = problems.map(importProblemText)
  const more =
    count > problems.length ? ` And ${(count - problems.length).toLocaleString('en')} more.` : ''
  return new HttpProblem(
    400,
    `${texts.join(' ')}${more}`,
    texts.map(message => ({ field: 'file', message })),
  )
}
