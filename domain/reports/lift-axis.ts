/** Where an axis of lifts begins and ends, and its round marks, 0 among them. What is drawn side by side shares one. */
export type LiftAxis = { from: number; to: number; marks: number[] }
type Interval = readonly [low: number, high: number]

/** Steps between marks: 1, 2 and 5 of each power of ten, from half a percent up. */
const steps = [
  0.005,
  ...[-2, -1, 0, 1, 2].flatMap(power => [1, 2, 5].map(step => step * 10 ** power)),
]
/** Marks beside 0 at the most, and the share of the axis left free beyond the outermost. */
const maxMarks = 4,
  margin = 0.1
/** A lift cannot be lower than this, and an interval that continues above ends in an arrow: one of a small test would press all others together. */
const lowest = -1,
  highestEnd = 1

/** The axis that fits these results: every lift is on it, and every interval as far as ±100%. Without any, ±10%. */
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
/** Without the dust of binary fractions: 0.1 × 3 is 0.3. */
const rounded = (n: number): number => Number(n.toPrecision(12)) + 0

/** Where a lift stands on the axis, in percent of its length; at an end when it lies beyond. */
export const placeOn = ({ from, to }: LiftAxis, lift: number): number =>
  Math.min(100, Math.max(0, (100 * (lift - from)) / (to - from)))

/** Marks that stay clear of each other's words in a narrow column: 0, and the outermost where they are far enough from it. */
export function mainMarks(axis: LiftAxis): number[] {
  const isFar = (mark: number) => Math.abs(placeOn(axis, mark) - placeOn(axis, 0)) >= 30
  return axis.marks.filter(
    (mark, i) => mark === 0 || ((i === 0 || i === axis.marks.length - 1) && isFar(mark)),
  )
}
