import * as Type from 'typebox'
import { Instant, Maybe } from '../api/call.ts'
import { templateTypes } from './template.ts'

/** A theme of the shop. One is live; the variant of a theme test is another. */
export const Theme = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: Type.Enum(['live', 'unpublished']),
  createdAt: Instant,
  updatedAt: Instant,
  /** The theme in the shop's theme editor. */
  adminUrl: Type.String(),
  /**
   * Its files in the shop's editor of code: this address plus the percent-encoded name of a file.
   */
  fileUrl: Type.String(),
})
export type Theme = Type.Static<typeof Theme>

/** A template that pages of the shop need but a theme does not have. */
export const MissingTemplate = Type.Object({
  type: Type.Enum([...templateTypes]),
  suffix: Type.String(),
  /**
   * `assignedCount`: number of products, collections, pages, blogs or articles that are assigned to
   * it. `titles`: the first of them.
   */
  assignedCount: Type.Integer(),
  titles: Type.Array(Type.String()),
})
export type MissingTemplate = Type.Static<typeof MissingTemplate>

export const ThemeCompatibility = Type.Object({
  isCompatible: Type.Boolean(),
  /**
   * True when its files are equal to those of the live theme. Then a test of the two cannot find
   * anything.
   */
  isSameAsLive: Type.Boolean(),
  missing: Type.Array(MissingTemplate),
  /**
   * What is missing, in words: "Harbour lacks templates that 12 products use." Null when it is
   * compatible.
   */
  message: Maybe(Type.String()),
  checkedAt: Instant,
})
export type ThemeCompatibility = Type.Static<typeof ThemeCompatibility>
