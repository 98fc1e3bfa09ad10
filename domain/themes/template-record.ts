import * as Type from 'typebox'
import { Instant, Maybe } from '../api/call.ts'
import { templateTypes } from './template.ts'
import { templateKinds } from '../tests/test-target.ts'
import { testStatuses } from '../tests/test-status.ts'

/** A template of the live theme. */
export const Template = Type.Object({
  type: Type.Enum([...templateTypes]),
  /** '' for the type's own template. */
  suffix: Type.String(),
  /** The theme's file: "templates/product.story.json". */
  file: Type.String(),
  /**
   * `Unsupported`: a Liquid template, or one that cannot be read. It can be an arm of a test, but
   * we cannot duplicate or edit it.
   */
  kind: Type.Enum([...templateKinds]),
  createdAt: Instant,
  updatedAt: Instant,
  /**
   * Number of products, collections, pages, blogs or articles that it draws; null for home, cart
   * and search, which always use the type's own template.
   */
  assignedCount: Maybe(Type.Integer()),
  /**
   * Number of different visitors of these pages in the last 28 days; an estimate for shops with
   * much traffic, null for shops without any.
   */
  visitors: Maybe(Type.Integer()),
  /** An unfinished test that shows it; null when there is none. */
  test: Maybe(
    Type.Object({ id: Type.String(), title: Type.String(), status: Type.Enum([...testStatuses]) }),
  ),
  /** When we made it as a copy: the suffix of the original; else null. */
  copyOf: Maybe(Type.String()),
  /**
   * Ids of the products, pages and so on that a copy was made for; empty for all that the original
   * draws.
   */
  resourceIds: Type.Array(Type.String()),
})
export type Template = Type.Static<typeof Template>
