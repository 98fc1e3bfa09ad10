import * as Type from 'typebox'
import { namesOf } from './launch-check.ts'
import type { TestKind } from './test-kind.ts'

/** A running experiment of the platform itself, which the merchant has started in the shop. */
export const NativeExperiment = Type.Object({
  id: Type.String(),
  name: Type.String(),
  /** Since when it runs: an ISO instant. */
  since: Type.String(),
  /** The themes between which it divides visitors. */
  themeIds: Type.Array(Type.String()),
  /** The page of the shop's admin where it is ended. */
  address: Type.String(),
})
export type NativeExperiment = Type.Static<typeof NativeExperiment>

/**
 * The experiments that show visitors of a test another theme than the test does. Every test runs
 * on the live theme; a theme test also on the variant's.
 */
export const clashing = (
  experiments: readonly NativeExperiment[],
  themeIds: readonly (string | null | undefined)[],
): NativeExperiment[] =>
  experiments.filter(experiment => experiment.themeIds.some(id => themeIds.includes(id)))

/** A theme test and an experiment over its themes cannot both be believed. */
export const isIncompatible = (kind: TestKind): boolean => kind === 'Theme'

export const clashWords = (experiments: readonly NativeExperiment[]): string =>
  experiments.length === 1
    ? `Your shop runs an experiment of its own over a theme of this test: ${namesOf(experiments.map(({ name }) => name))}.`
    : `Your shop runs experiments of its own over themes of this test: ${namesOf(experiments.map(({ name }) => name))}.`
