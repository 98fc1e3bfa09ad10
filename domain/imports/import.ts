import * as Type from 'typebox'
import { closed } from '../api/call.ts'
import { goalNames } from '../reports/goal.ts'
import { testKindNames } from '../tests/test-kind.ts'

/** Characters of a file that is sent as a body, some seventy thousand rows. Larger files go by `npm run import`. */
export const importLimit = 5_000_000
/** Bad rows that are named; of the others there is a count. */
export const namedProblems = 20

/** What is to be said of a past experiment besides its rows. */
export const ImportOptions = Type.Object(
  {
    /** An import of the same title continues with its test. */
    title: Type.String({ minLength: 1, maxLength: 120, pattern: '\\S' }),
    goal: Type.Enum(goalNames),
    kind: Type.Optional(Type.Enum(testKindNames, { default: 'PageElement' })),
    /** As it was split, so that the split can be checked. */
    weights: Type.Tuple([Type.Number(), Type.Number()]),
    /** Smallest change that mattered, as a fraction. */
    minimumEffect: Type.Optional(Type.Number({ minimum: 0.01, maximum: 1, default: 0.1 })),
    /** Leaves bad rows out instead of refusing the file. */
    skipBad: Type.Boolean(),
  },
  closed,
)
export type ImportOptions = Type.Static<typeof ImportOptions>

/** The same with the store and the file itself, as staff send them. */
export const ImportUpload = Type.Object(
  {
    storeId: Type.String({ minLength: 1, maxLength: 64 }),
    fileName: Type.String({ minLength: 1, maxLength: 200 }),
    csv: Type.String({ maxLength: importLimit }),
    ...ImportOptions.properties,
  },
  closed,
)

/** `rows` were good; `problems` are the first of the rows left out, `skipped` how many those are in all. */
export const ImportOutcome = Type.Object({
  testId: Type.String(),
  rows: Type.Integer(),
  skipped: Type.Integer(),
  problems: Type.Array(Type.String()),
  visitors: Type.Integer(),
  /** False when the test was there and the file held nothing new. */
  hasChanged: Type.Boolean(),
})
export type ImportOutcome = Type.Static<typeof ImportOutcome>
