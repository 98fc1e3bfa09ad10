/**
 * One measured figure. `ratio` compares it with `against` from the same run. `target` is the ratio
 * to reach.
 */
export type BenchRow = {
  name: string
  value: number
  unit: string
  ratio?: number
  against?: string
  target?: string
}
