import t from 'tap'
import { liftAxis, mainMarks, placeOn } from '../../../domain/reports/lift-axis.ts'

const marksOf = (...results: Parameters<typeof liftAxis>[0]) => liftAxis(results).marks

t.test('an axis includes all values and 0, and has round steps', async t => {
  t.same(marksOf({ lift: 0.142, interval: [-0.061, 0.39] }), [-0.2, 0, 0.2, 0.4])
  t.same(marksOf({ lift: 0.135, interval: [0.019, 0.268] }), [0, 0.1, 0.2, 0.3])
  t.same(
    marksOf({ lift: 0.17, interval: null }, { lift: -0.01, interval: [-0.03, 0.02] }),
    [-0.1, 0, 0.1, 0.2],
  )
  t.same(marksOf({ lift: -0.245, interval: [-0.42, -0.07] }), [-0.6, -0.4, -0.2, 0])
  t.same(marksOf({ lift: 0.001, interval: [-0.002, 0.004] }), [-0.005, 0, 0.005])
  t.same(marksOf(), [-0.1, -0.05, 0, 0.05, 0.1])
})

t.test('an interval beyond 100% ends in an arrow; a lift is always on the axis', async t => {
  t.same(marksOf({ lift: 0.5, interval: [-0.9, 4] }), [-1, -0.5, 0, 0.5, 1])
  const wide = liftAxis([{ lift: 3.2, interval: [1.1, 7] }])
  t.same(wide.marks, [0, 1, 2, 3, 4])
  t.ok(wide.to < 7)
  t.equal(placeOn(wide, 7), 100)
})

t.test('marks have room at both ends, and labels do not overlap in a narrow column', async t => {
  const axis = liftAxis([{ lift: 0.142, interval: [-0.061, 0.39] }])
  t.same(
    axis.marks.map(mark => Math.round(placeOn(axis, mark))),
    [10, 37, 63, 90],
  )
  t.same(mainMarks(axis), [0, 0.4], 'the lower end is too close to 0 for a label')
  t.same(mainMarks(liftAxis([])), [-0.1, 0, 0.1])
})
