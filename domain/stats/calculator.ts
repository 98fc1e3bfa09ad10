import { compareBinary } from './binary.ts'
import type { Comparison } from './comparison.ts'
import { comparePosteriors, compareRatio, meanPosterior, type Posterior } from './normal.ts'
import { samplePerArm } from './power.ts'
import { splitCheck } from './split.ts'

/** Thrown for input that cannot be used. The message names the case and the field. */
export class CaseProblem extends Error {}

type Fields = Record<string, unknown>
/**
 * The calculator (docs/statistics.md): only the formulas, with the 95% interval, without data gates
 * and capping. Values are null when there is no answer. Throws a CaseProblem for input that is not
 * valid.
 */
export function calculate(input: unknown): { cases: object[]; srm: object[]; power: object[] } {
  const all = record(input, 'The input')
  return {
    cases: list(all, 'cases').map(compared),
    srm: list(all, 'srm').map(checked),
    power: list(all, 'power').map(planned),
  }
}

function compared(value: unknown, i: number): object {
  const one = record(value, `cases[${i}]`),
    where = named(one, `cases[${i}]`)
  const arm = (side: string) => record(one[side], `${where}: ${side}`)
  const level = 0.95
  const result =
    one.kind === 'binary'
      ? compareBinary(
          binary(arm('control'), `${where}: control`),
          binary(arm('variant'), `${where}: variant`),
          level,
        )
      : one.kind === 'mean'
        ? comparePosteriors(
            mean(arm('control'), `${where}: control`),
            mean(arm('variant'), `${where}: variant`),
            level,
          )
        : one.kind === 'ratio'
          ? compareRatio(
              ratio(arm('control'), `${where}: control`),
              ratio(arm('variant'), `${where}: variant`),
              level,
            )
          : refuse(`${where}: kind must be binary, mean or ratio`)
  return { name: one.name, ...shown(result) }
}

function shown({ chanceToWin, lift, interval, loss }: Comparison): object {
  return {
    chanceToWin: finite(chanceToWin),
    expectedLift: finite(lift),
    ciLow: finite(interval?.[0]),
    ciHigh: finite(interval?.[1]),
    loss: finite(loss[1]),
  }
}

function binary(arm: Fields, where: string) {
  const n = number(arm, 'n', where, 0),
    x = number(arm, 'x', where, 0)
  return x > n ? refuse(`${where}: x is above n`) : { n, x }
}

function mean(arm: Fields, where: string): Posterior | null {
  const n = number(arm, 'n', where, 0)
  if (arm.sum !== undefined)
    return meanPosterior({
      n,
      sum: number(arm, 'sum', where),
      sumSquares: squares(arm, 'sum_squares', 'sum', where, n),
    })
  const m = number(arm, 'mean', where)
  const variance =
    arm.sd !== undefined ? number(arm, 'sd', where, 0) ** 2 : number(arm, 'variance', where, 0)
  // Use the given values directly: converting them to sums would lose the digits of a small spread
  // with a large mean.
  return n > 0 ? { mean: m, variance: variance / n } : null
}

function ratio(arm: Fields, where: string) {
  const n = number(arm, 'n', where, 0)
  return {
    n,
    mSum: number(arm, 'm_sum', where),
    mSumSquares: squares(arm, 'm_sum_squares', 'm_sum', where, n),
    dSum: number(arm, 'd_sum', where),
    dSumSquares: squares(arm, 'd_sum_squares', 'd_sum', where, n),
    mdSum: number(arm, 'm_d_sum_of_products', where),
  }
}

/**
 * Reads a sum of n squares. It cannot be smaller than the square of the sum divided by n; the
 * tolerance allows for rounding.
 */
function squares(arm: Fields, name: string, sum: string, where: string, n: number): number {
  const value = number(arm, name, where, 0),
    least = number(arm, sum, where) ** 2 / n
  return value < least * (1 - 1e-9)
    ? refuse(`${where}: ${name} is too small for ${n} values that sum to ${arm[sum]}`)
    : value
}

function checked(value: unknown, i: number): object {
  const one = record(value, `srm[${i}]`),
    where = named(one, `srm[${i}]`)
  const numbers = (field: string) =>
    list(one, field).map((v, k) =>
      typeof v === 'number' && Number.isFinite(v) && v >= 0
        ? v
        : refuse(`${where}: ${field}[${k}] must be a number of at least 0`),
    )
  return { name: one.name, p: finite(splitCheck(numbers('users'), numbers('weights'))) }
}

function planned(value: unknown, i: number): object {
  const one = record(value, `power[${i}]`),
    where = named(one, `power[${i}]`)
  if (one.kind !== 'binary' && one.kind !== 'mean' && one.kind !== 'ratio')
    refuse(`${where}: kind must be binary, mean or ratio`)
  const daily = number(one, 'dailyVisitors', where, 0)
  const perArm = samplePerArm({
    kind: one.kind as 'binary',
    baseline: number(one, 'baseline', where),
    ...(one.sd === undefined ? {} : { sd: number(one, 'sd', where, 0) }),
    relativeMde: number(one, 'relativeMde', where),
    alpha: number(one, 'alpha', where, 0),
    power: number(one, 'power', where, 0),
  })
  return {
    ...(one.name === undefined ? {} : { name: one.name }),
    perArm,
    days: perArm === null || daily === 0 ? null : Math.ceil((2 * perArm) / daily),
  }
}

const finite = (x: number | null | undefined): number | null =>
  x !== null && x !== undefined && Number.isFinite(x) ? x : null
const refuse = (message: string): never => {
  throw new CaseProblem(`${message}.`)
}
const named = (one: Fields, where: string): string =>
  typeof one.name === 'string' ? `${where} "${one.name}"` : where

function record(value: unknown, where: string): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : refuse(`${where} must be an object`)
}
function list(fields: Fields, name: string): unknown[] {
  const value = fields[name] ?? []
  return Array.isArray(value) ? value : refuse(`${name} must be a list`)
}
function number(fields: Fields, name: string, where: string, least = -Infinity): number {
  const value = fields[name]
  if (typeof value !== 'number' || !Number.isFinite(value))
    return refuse(`${where}: ${name} must be a number`)
  return value < least ? refuse(`${where}: ${name} must be at least ${least}`) : value
}
