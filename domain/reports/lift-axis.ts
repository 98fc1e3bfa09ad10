/**
 * The ends of an axis of lifts, and its round marks, including 0. Results that are drawn side by
 * side share one axis.
 */
export type LiftAxis = { from: number; to: number; marks: number[] }
type Interval = readonly [low: number, high: number]

/** Possible steps between marks: 1, 2 and 5 times each power of ten, from half a percent. */
const steps = [
  0.005,
  ...[-2, -1, 0, 1, 2].flatMap(power => [1, 2, 5].map(step => step * 10 ** power)),
]
/**
 * `maxMarks`: maximum number of marks in addition to 0. `margin`: the free share of the axis beyond
 * each outermost mark.
 */
const maxMarks = 4,
  margin = 0.1
/**
 * `lowest`: a lift cannot be lower. `highestEnd`: a longer interval ends in an arrow there, because
 * the wide interval of a small test would squeeze all others.
 */
const lowest = -1,
  highestEnd = 1

/**
 * The axis for these results. It contains every lift, and every interval up to ±100%. Without
 * results it is ±10%.
 */
export function liftAxis(
  results: readonly { lift: number | null; interval: Interval | null }[],
): LiftAxis {
  const lifts = results.flatMap(({ lift }) => lift ?? [])
  const ends = results
    .flatMap(({ interval }) => interval ?? [])
    .map(end => Math.min(Math.max(end, lowest), highestEnd))
  if (lifts.length + ends.length === 0) return axisFrom(-0.1, 0.1)
  const all = [0, ...lifts, ...ends]
  return axisFrom(Math.min(...all), Math.max(...all))
}

function axisFrom(low: number, high: number): LiftAxis {
  const step =
    steps.find(
      size => Math.ceil(rounded(high / size)) - Math.floor(rounded(low / size)) <= maxMarks,
    ) ?? steps.at(-1)!
  const first = Math.floor(rounded(low / step)),
    last = Math.ceil(rounded(high / step))
  const marks = Array.from({ length: last - first + 1 }, (_, i) => rounded((first + i) * step))
  const beyond = ((last - first) * step * margin) / (1 - 2 * margin)
  return { from: rounded(marks[0]! - beyond), to: rounded(marks.at(-1)! + beyond), marks }
}
/** Removes the rounding errors of binary fractions: 0.1 × 3 becomes 0.3. */
const rounded = (n: number): number => Number(n.toPrecision(12)) + 0

/**
 * The position of a lift on the axis, in percent of its length. A lift beyond an end is at that
 * end.
 */
export const placeOn = ({ from, to }: LiftAxis, lift: number): number =>
  Math.min(100, Math.max(0, (100 * (lift - from)) / (to - from)))

/**
 * The marks whose labels do not overlap in a narrow column: 0, and each outermost mark that is far
 * enough from 0.
 */
export function mainMarks(axis: LiftAxis): number[] {
  const isFar = (mark: number) => Math.abs(placeOn(axis, mark) - placeOn(axis, 0)) >= 30
  return axis.marks.filter(
    (mark, i) => mark === 0 || ((i === 0 || i === axis.marks.length - 1) && isFar(mark)),
  )
}
