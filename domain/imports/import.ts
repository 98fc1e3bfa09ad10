import * as Type from 'typebox'
import { closed } from '../api/call.ts'
import { goalNames } from '../reports/goal.ts'
import { testKindNames } from '../tests/test-kind.ts'

/**
 * Maximum length in characters of a file that is sent in a request, about 70,000 rows. Import
 * larger files with `npm run import`.
 */
export const importLimit = 5_000_000
/** Number of bad rows that are named. The others are only counted. */
export const namedProblems = 20

/** What an import needs to know about a past experiment in addition to its rows. */
export const ImportOptions = Type.Object(
  {
    /** An import of the same title continues with its test. */
    title: Type.String({ minLength: 1, maxLength: 120, pattern: '\\S' }),
    goal: Type.Enum(goalNames),
    kind: Type.Optional(Type.Enum(testKindNames, { default: 'PageElement' })),
    /** The planned split, so that the split can be checked. */
    weights: Type.Tuple([Type.Number(), Type.Number()]),
    /** Smallest change that mattered, as a fraction. */
    minimumEffect: Type.Optional(Type.Number({ minimum: 0.01, maximum: 1, default: 0.1 })),
    /** True to skip bad rows instead of refusing the file. */
    skipBad: Type.Boolean(),
  },
  closed,
)
export type ImportOptions = Type.Static<typeof ImportOptions>

/** The options with the store and the file, as staff send them. */
export const ImportUpload = Type.Object(
  {
    storeId: Type.String({ minLength: 1, maxLength: 64 }),
    fileName: Type.String({ minLength: 1, maxLength: 200 }),
    csv: Type.String({ maxLength: importLimit }),
    ...ImportOptions.properties,
  },
  closed,
)

/**
 * `rows`: number of good rows. `skipped`: number of rows left out. `problems`: why the first of
 * them were.
 */
export const ImportOutcome = Type.Object({
  testId: Type.String(),
  rows: Type.Integer(),
  skipped: Type.Integer(),
  problems: Type.Array(Type.String()),
  visitors: Type.Integer(),
  /** False when the test existed and the file had nothing new. */
  hasChanged: Type.Boolean(),
})
export type ImportOutcome = Type.Static<typeof ImportOutcome>
