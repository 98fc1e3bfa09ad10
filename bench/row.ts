/** One measured figure. `ratio` compares it with `against` of the same run; `target` is what that ratio should reach. */
export type BenchRow = {
  name: string
  value: number
  unit: string
  ratio?: number
  against?: string
  target?: string
}
