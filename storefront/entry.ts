import { type AudienceFacts, isInAudience } from '../domain/audiences/audience-match.ts'
import { assign } from '../domain/tests/assignment.ts'
import { devices, deviceOf } from '../domain/device.ts'
import { stage } from '../domain/events/event.ts'
import { keptTests, reservedTest } from '../domain/tests/exclusion-choice.ts'
import type { ScriptTest } from '../domain/script/script-config.ts'
import type { Rules, TagFacts, VisitorMemory } from './core.ts'

type MayEnter = NonNullable<Rules['mayEnter']>
type Four = [string | null, string | null, string | null, string | null]
type ChannelName = (landing: string, referrer: string) => string

/**
 * Who may enter a test: visitors who are in its audience and are not given to another test of its
 * layer. A visitor is given to one test of a layer when they meet the first one, and stays in it. A
 * visitor who entered several tests before these were in one layer stays in all of them that do not
 * disturb each other.
 */
export const entryRule =
  (
    userAgent: () => string,
    isAmong?: (
      test: ScriptTest,
      memory: VisitorMemory,
      facts: TagFacts,
      userAgent: string,
    ) => boolean,
  ): MayEnter =>
  (test, tests, memory, facts) => {
    const fits = (one: ScriptTest): boolean =>
      !one.audiences || isAmong!(one, memory, facts, userAgent())
    const { tests: held, visitor } = memory
    if (test.layer === undefined) return !!held[test.id] || fits(test)
    const layer = tests.filter(one => one.layer === test.layer)
    const named = (wanted: string): ScriptTest | undefined => layer.find(({ id }) => id === wanted)
    // When two tests disturb each other, the visitor stays in the one that they entered first, even
    // if it was resumed later.
    const known = Object.keys(held).filter(named)
    if (known[0]) return keptTests(known, id => named(id)!.rivals ?? []).includes(test.id)
    const chosen = reservedTest(
      layer.filter(fits).map(({ id }) => id),
      visitor,
    )
    if (chosen) held[chosen] = [assign(chosen, visitor, named(chosen)!.weights), stage.assigned]
    return chosen === test.id
  }

/** The audience rule. `channelOf` is passed only where an audience asks for the channel. */
export const audienceRule =
  (channelOf?: ChannelName) =>
  (
    { audiences }: ScriptTest,
    { session }: VisitorMemory,
    { country }: TagFacts,
    userAgent: string,
  ): boolean => {
    const { landing, referrer, isNew } = session!
    const query = new URLSearchParams(landing.split('?')[1])
    // In the order of the fields' numbers (domain/audiences/audience-field.ts).
    const visit: AudienceFacts = [
      channelOf?.(landing, referrer),
      ...(['source', 'medium', 'campaign', 'content'].map(name =>
        query.get(`utm_${name}`),
      ) as Four),
      landing,
      referrer,
      country,
    ]
    return audiences!.some(audience =>
      isInAudience(audience, visit, { isReturning: !isNew, device: devices[deviceOf(userAgent)] }),
    )
  }
