import * as Type from 'typebox'
import { Instant, Maybe } from '../api/call.ts'
import { templateTypes } from './template.ts'
import { templateKinds } from '../tests/test-target.ts'
import { testStatuses } from '../tests/test-status.ts'

/** A template of the live theme. */
export const Template = Type.Object({
  type: Type.Enum([...templateTypes]),
  /** '' for the type's own. */
  suffix: Type.String(),
  /** The theme's file: "templates/product.story.json". */
  file: Type.String(),
  /** Unsupported: a Liquid template, or one that cannot be read; it can be tested against, not duplicated or edited. */
  kind: Type.Enum([...templateKinds]),
  createdAt: Instant,
  updatedAt: Instant,
  /** Products, collections, pages, blogs or articles that it draws; null for home, cart and search, which always use their own. */
  assignedCount: Maybe(Type.Integer()),
  /** Different visitors of those pages in the last 28 days; an estimate for shops with much traffic, null without any. */
  visitors: Maybe(Type.Integer()),
  /** An unfinished test that shows it. */
  test: Maybe(
    Type.Object({ id: Type.String(), title: Type.String(), status: Type.Enum([...testStatuses]) }),
  ),
  /** The suffix it is a copy of, when we made it. */
  copyOf: Maybe(Type.String()),
  /** What a copy was made for, when not for all that the original draws. */
  resourceIds: Type.Array(Type.String()),
})
export type Template = Type.Static<typeof Template>
