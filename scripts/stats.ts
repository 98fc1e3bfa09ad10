import { calculate, CaseProblem } from '../domain/stats/calculator.ts'

// npm run -s stats < cases.json: computes only the formulas, for people who want to check them
// (docs/developers.md).
let text = ''
for await (const chunk of process.stdin) text += chunk
try {
  process.stdout.write(JSON.stringify(calculate(JSON.parse(text)), null, 2) + '\n')
} catch (error) {
  process.stderr.write(
    `${error instanceof SyntaxError ? `The input is not JSON: ${error.message}` : error instanceof CaseProblem ? error.message : String(error)}\n`,
  )
  process.exitCode = 1
}
